// A board of Snake on a canvas.

import {colours, faint, sharp} from "./canvas.js";

const WIDEST = 320, HEADINGS = {right: [0, 1], down: [1, 0], left: [0, -1], up: [-1, 0]};

/** Draw one moment of a game: {snake: [[row, column], …] from the head on, fruits, heading, dead}. */
export function drawBoard(canvas, room, {height, width}, {snake, fruits, heading, dead}) {
  const wide = Math.min(room, WIDEST), cell = wide / width, context = sharp(canvas, wide, cell * height);
  if (!context) return;
  const ink = colours(), middle = ([y, x]) => [(x + 0.5) * cell, (y + 0.5) * cell];
  context.fillStyle = ink.panel;
  context.beginPath();
  context.roundRect(0, 0, wide, cell * height, 6);
  context.fill();
  context.fillStyle = faint(ink.quiet, 0.18);
  for (let at = 0; at < height * width; at++) {
    const [x, y] = middle([Math.floor(at / width), at % width]);
    context.fillRect(x - 1, y - 1, 2, 2);
  }
  for (const fruit of fruits) dot(context, ink.error, ...middle(fruit), cell * 0.28);
  context.lineCap = context.lineJoin = "round";
  context.lineWidth = cell * 0.62;
  context.strokeStyle = dead ? ink.quiet : ink.accent;
  context.beginPath();
  for (const part of snake) context.lineTo(...middle(part));
  const [x, y] = middle(snake[0]), [down, right] = HEADINGS[heading];
  if (snake.length === 1) context.lineTo(x, y + 0.01);
  context.stroke();
  for (const side of [-1, 1]) {
    const ahead = 0.12 * cell, apart = 0.14 * cell * side;
    dot(context, ink.paper, x + ahead * right + apart * down, y + ahead * down + apart * right, cell * 0.075);
  }
}

function dot(context, colour, x, y, radius) {
  context.fillStyle = colour;
  context.beginPath();
  context.arc(x, y, radius, 0, 7);
  context.fill();
}
