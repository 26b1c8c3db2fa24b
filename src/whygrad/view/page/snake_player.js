// The policy of the newest checkpoint playing one game of Snake, beside what it thinks of its three choices.

import {$, el, say} from "./elements.js";
import {ask} from "./asking.js";
import {whenSized} from "./canvas.js";
import {number, whole} from "./numbers.js";
import {drawBoard} from "./snake_board.js";

const PACE = 110, CHOICES = [["left", 1], ["straight", 0], ["right", 2]];
let run = null, game = null, at = 0, timer = null, waiting = null, stamp = "", next = null;
const board = el("canvas", {role: "img", "aria-label": "The board"}), place = el("div", {class: "plot board"}, board);
const button = (word, properties) => el("button", {type: "button", class: "quiet-button", ...properties}, word);
const play = button("Play", {id: "snake-play", onclick: () => (timer ? pause() : start())});
const back = button("‹", {"aria-label": "One step back", onclick: () => step(-1)});
const forth = button("›", {"aria-label": "One step on", onclick: () => step(1)});
const slider = el("input", {type: "range", min: 0, max: 0, value: 0, "aria-label": "Move"});
slider.addEventListener("input", () => step(Number(slider.value) - at));
const bars = el("dl", {class: "choices"}), facts = el("p", {class: "quiet"}), trouble = el("p", {class: "quiet"});

export function startSnake() {
  $("snake-section").append(
    el("h2", {id: "snake-title"}, "The policy at play"), trouble,
    el("div", {class: "snake", hidden: true},
      place, el("div", {class: "controls"}, play, back, forth, slider), el("p", {class: "choice-title"}), bars, facts));
  whenSized(place, draw);
}

/** Show the game of a run of Snake; asks again while it is being played. */
export function showSnake(id, snake) {
  $("snake-section").hidden = !snake;
  if (!snake) {
    run = null;
    pause();
    return;
  }
  if (run !== id) {
    run = id;
    game = null;
    stamp = "";
    next = null;
    pause();
    $("snake-section").querySelector(".snake").hidden = true;
  }
  fetchGame();
}

async function fetchGame() {
  clearTimeout(waiting);
  const id = run;
  if (!id || document.hidden) return;
  const found = await ask(`runs/${id}/game`, {shown: stamp}).catch(error => ({trouble: error.message}));
  if (id !== run) return;
  const playing = game ? "A newer policy is playing …" : "Playing a game with the newest policy …";
  say(trouble, found.trouble || (found.playing ? playing : ""));
  trouble.hidden = !trouble.textContent;
  if (found.playing) waiting = setTimeout(fetchGame, 1000);
  if (!found.game || found.stamp === stamp) return;
  stamp = found.stamp;
  next = found.game;
  if (game) return; // the game that is shown is shown to its end
  take();
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) start();
}

/** Go on to the newest game. */
function take() {
  game = next;
  next = null;
  at = 0;
  slider.max = game.moves.length;
  $("snake-section").querySelector(".snake").hidden = false;
  draw();
}

function start() {
  if (!game || timer) return;
  if (at >= game.moves.length) next ? take() : (at = 0);
  play.textContent = "Pause";
  timer = setInterval(() => {
    if (at < game.moves.length) document.hidden || step(1, true);
    else if (next) take();
    else pause();
  }, PACE);
}

function pause() {
  clearInterval(timer);
  timer = null;
  play.textContent = "Play";
}

function step(by, playing = false) {
  if (!playing) pause();
  if (!game) return;
  at = Math.min(Math.max(at + by, 0), game.moves.length);
  draw();
}

function draw() {
  if (!game) return;
  slider.value = at;
  const now = game.boards[at];
  drawBoard(board, place.clientWidth, game, now);
  showChoices();
  const over = at >= game.moves.length ? (now.dead ? " · died" : game.won ? " · board filled" : " · cut off") : "";
  const moves = `move ${whole(at)} of ${whole(game.moves.length)} · ${whole(now.eaten)} eaten${over}`;
  say(facts, `${moves} · ${game.which} checkpoint, ${whole(game.steps)} steps`);
}

function showChoices() {
  const move = game.moves[at], q = game.kind === "q";
  say($("snake-section").querySelector(".choice-title"), q ? "Q-values" : "Probabilities");
  if (!move) return;
  const low = q ? Math.min(...move.values) : 0, high = Math.max(...move.values), span = q ? high - low || 1 : 1;
  if (!bars.children.length) {
    const track = () => el("span", {class: "track"}, el("span", {class: "fill"}));
    for (const [word] of CHOICES) bars.append(el("dt", {}, word), el("dd", {}, track(), el("span", {class: "number"})));
  }
  CHOICES.forEach(([, action], index) => {
    const value = move.values[action], row = bars.querySelectorAll("dd")[index], chosen = move.action === action;
    row.querySelector(".fill").style.width = `${q ? 12 + 88 * (value - low) / span : 100 * value}%`;
    say(row.querySelector(".number"), q ? number(value) : `${Math.round(100 * value)} %`);
    row.classList.toggle("chosen", chosen);
    bars.querySelectorAll("dt")[index].classList.toggle("chosen", chosen);
    bars.querySelectorAll("dt")[index].setAttribute("aria-label", `${CHOICES[index][0]}${chosen ? ", chosen" : ""}`);
  });
}

/** Draw again in other colours. */
export const redrawSnake = draw;
