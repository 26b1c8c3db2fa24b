"""Films read back: their frames, size and pace; and what is no film."""

from __future__ import annotations

import re
import subprocess

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image

from whygrad.rl.film import check_film, write_film


def frames(count, height=20, width=30):
    """A white square that wanders to the right."""
    for n in range(count):
        image = np.zeros((height, width, 3), np.uint8)
        image[4:12, n : n + 8] = 255
        yield image


def read_gif(path):
    with Image.open(path) as film:
        shown = []
        for n in range(film.n_frames):
            film.seek(n)
            shown.append((film.info["duration"], np.asarray(film.convert("RGB"))))
        return film.info.get("loop"), shown


def read_mp4(path):
    """What ffmpeg says of a film, such as `h264`, `30x20` and `30 fps`, and its frames."""
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    done = subprocess.run(command, capture_output=True, check=True)
    about = next(line for line in done.stderr.decode().splitlines() if "Video:" in line)
    width, height = map(int, re.search(r", (\d+)x(\d+)", about).groups())
    return about, np.frombuffer(done.stdout, np.uint8).reshape(-1, height, width, 3)


def test_gif(tmp_path):
    write_film(tmp_path / "film.gif", frames(9), fps=25)
    loop, shown = read_gif(tmp_path / "film.gif")
    assert loop == 0
    assert [duration for duration, _ in shown] == [40] * 9
    assert all(np.array_equal(image, given) for (_, image), given in zip(shown, frames(9), strict=True))


def test_a_gif_faster_than_viewers_leaves_frames_out_and_keeps_its_pace(tmp_path):
    write_film(tmp_path / "film.gif", frames(10), fps=100)
    _, shown = read_gif(tmp_path / "film.gif")
    assert [duration for duration, _ in shown] == [20] * 5
    assert np.array_equal(shown[1][1], list(frames(10))[2])


def test_mp4(tmp_path):
    write_film(tmp_path / "film.MP4", frames(12), fps=30)
    about, shown = read_mp4(tmp_path / "film.MP4")
    assert "h264" in about
    assert " 30 fps" in about
    assert shown.shape == (12, 20, 30, 3)
    for image, given in zip(shown, frames(12), strict=True):
        assert np.abs(image.astype(int) - given).mean() < 10


def test_an_mp4_of_odd_size_is_padded(tmp_path):
    write_film(tmp_path / "film.mp4", frames(3, 21, 31), fps=30)
    _, shown = read_mp4(tmp_path / "film.mp4")
    assert shown.shape == (3, 22, 32, 3)


def test_one_frame_is_a_film(tmp_path):
    for name in ("film.gif", "film.mp4"):
        write_film(tmp_path / name, frames(1), fps=30)
    assert len(read_gif(tmp_path / "film.gif")[1]) == len(read_mp4(tmp_path / "film.mp4")[1]) == 1


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.avi", "a film is written as .gif or .mp4, and 'a.avi' ends in '.avi'. Write 'a.gif' or 'a.mp4'."),
        ("a", "a film is written as .gif or .mp4, and 'a' has no ending. Write 'a.gif' or 'a.mp4'."),
    ],
)
def test_another_ending(name, message):
    with pytest.raises(ValueError) as caught:
        check_film(name)
    assert str(caught.value) == message


BAD = [
    ([], 30, "a film needs at least one frame; none was given."),
    (
        [None],
        30,
        "frame 0 is None. Make the environment with render_mode='rgb_array': then render() gives images.",
    ),
    ([np.zeros((4, 4, 3))], 30, "frame 0 has dtype float64 and shape (4, 4, 3); expected uint8 [height, width, 3]."),
    ([np.zeros((4, 4), np.uint8)], 30, "frame 0 has dtype uint8 and shape (4, 4); expected uint8 [height, width, 3]."),
    (
        [np.zeros((4, 4, 3), np.uint8), np.zeros((4, 6, 3), np.uint8)],
        30,
        "frame 1 has shape (4, 6, 3), and those before it (4, 4, 3); all are of one size.",
    ),
    (frames(1), 0, "a film needs a positive number of frames per second; 0 was given."),
]


@pytest.mark.parametrize("suffix", [".gif", ".mp4"])
@pytest.mark.parametrize(("images", "fps", "message"), BAD)
def test_bad_frames_leave_nothing_behind(tmp_path, images, fps, message, suffix):
    with pytest.raises(ValueError) as caught:
        write_film(tmp_path / f"film{suffix}", images, fps)
    assert str(caught.value) == message
    assert list(tmp_path.iterdir()) == []


def test_a_complaint_of_ffmpeg_is_passed_on(tmp_path, monkeypatch):
    monkeypatch.setattr(imageio_ffmpeg, "get_ffmpeg_exe", lambda: __file__)
    with pytest.raises(OSError):
        write_film(tmp_path / "film.mp4", frames(3), fps=30)
    monkeypatch.undo()
    with pytest.raises(OSError, match="ffmpeg could not write the film: "):
        write_film(tmp_path / "film.mp4", frames(3), fps=1e-9)  # not a pace that it takes
    assert list(tmp_path.iterdir()) == []
