// The risk map on a canvas: squares in kilometres, moved by mouse, touch or arrow keys, zoomed by wheel, keys or buttons.
"use strict";

class RiskMap {
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.listen();
    fetch(canvas.dataset.src).then((answer) => answer.json()).then((data) => {
      this.data = data;
      this.all();
    });
  }

  all() {
    const [west, south, east, north] = this.data.box;
    const { clientWidth: wide, clientHeight: high } = this.canvas;
    const foot = 36; // pixels below the map, for the scale bar
    this.scale = 0.92 * Math.min(wide / Math.max(east - west, 0.1), (high - foot) / Math.max(north - south, 0.1));
    this.least = this.scale / 2;
    this.middle = [(west + east) / 2, (south + north) / 2 - foot / 2 / this.scale];
    this.draw();
  }

  zoom(factor, at = null) {
    const scale = Math.min(Math.max(this.scale * factor, this.least), 400 * this.least);
    if (at) {
      const [x, y] = this.there(...at);
      this.middle = [x - (x - this.middle[0]) * this.scale / scale, y - (y - this.middle[1]) * this.scale / scale];
    }
    this.scale = scale;
    this.draw();
  }

  move(right, down) {
    this.middle = [this.middle[0] - right / this.scale, this.middle[1] + down / this.scale];
    this.draw();
  }

  here(x, y) {
    return [this.canvas.clientWidth / 2 + (x - this.middle[0]) * this.scale,
      this.canvas.clientHeight / 2 - (y - this.middle[1]) * this.scale];
  }

  there(left, top) {
    return [this.middle[0] + (left - this.canvas.clientWidth / 2) / this.scale,
      this.middle[1] - (top - this.canvas.clientHeight / 2) / this.scale];
  }

  draw() {
    if (!this.data) return;
    const { canvas, pen } = this;
    const style = getComputedStyle(canvas);
    const colour = (name) => style.getPropertyValue(`--${name}`);
    const dots = window.devicePixelRatio || 1;
    canvas.width = dots * canvas.clientWidth;
    canvas.height = dots * canvas.clientHeight;
    pen.setTransform(dots, 0, 0, dots, 0, 0);
    for (const line of this.data.outline) this.outline(line, colour("sunk"), colour("edge"));
    const side = Math.max(this.data.cell_km * this.scale, 3);
    for (const [x, y, ramp] of this.data.squares) {
      const [left, bottom] = this.here(x, y);
      if (left > canvas.clientWidth || bottom < 0 || left + side < 0 || bottom - side > canvas.clientHeight) continue;
      pen.fillStyle = colour(`r${ramp}`);
      pen.fillRect(left, bottom - side, side - (side > 6 ? 0.5 : 0), side - (side > 6 ? 0.5 : 0));
    }
    this.bar(colour("ink"), colour("paper"), style.fontFamily);
    canvas.dataset.drawn = String(this.data.squares.length);
  }

  outline(line, fill, stroke) {
    const { pen } = this;
    pen.beginPath();
    line.forEach(([x, y], place) => pen[place ? "lineTo" : "moveTo"](...this.here(x, y)));
    pen.closePath();
    pen.fillStyle = fill;
    pen.fill();
    pen.strokeStyle = stroke;
    pen.lineWidth = 1;
    pen.stroke();
  }

  bar(ink, paper, font) {
    const { pen, canvas } = this;
    const sizes = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500];
    const size = sizes.find((km) => km * this.scale > 60) || 1000;
    const words = size < 1 ? `${1000 * size} m` : `${size} km`;
    const top = canvas.clientHeight - 14;
    pen.fillStyle = paper;
    pen.globalAlpha = 0.8;
    pen.fillRect(6, top - 20, size * this.scale + 12, 28);
    pen.globalAlpha = 1;
    pen.fillStyle = ink;
    pen.fillRect(12, top, size * this.scale, 3);
    pen.font = `600 12px ${font}`;
    pen.fillText(words, 12, top - 5);
    pen.textAlign = "center";
    pen.fillText("N", canvas.clientWidth - 18, 40);
    pen.textAlign = "start";
    pen.beginPath();
    for (const [x, y] of [[0, 10], [-5, 20], [0, 17], [5, 20]]) pen.lineTo(canvas.clientWidth - 18 + x, y);
    pen.fill();
  }

  listen() {
    const { canvas } = this;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, [event.offsetX, event.offsetY]);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons) this.move(event.movementX, event.movementY);
    });
    canvas.addEventListener("keydown", (event) => this.key(event));
    for (const button of canvas.parentElement.querySelectorAll("[data-zoom]")) {
      const factor = { in: 1.5, out: 1 / 1.5 }[button.dataset.zoom];
      button.addEventListener("click", () => (factor ? this.zoom(factor) : this.all()));
    }
    new ResizeObserver(() => this.draw()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  key(event) {
    const moves = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] };
    if (moves[event.key]) this.move(...moves[event.key]);
    else if (event.key === "+" || event.key === "=") this.zoom(1.5);
    else if (event.key === "-") this.zoom(1 / 1.5);
    else if (event.key === "0") this.all();
    else return;
    event.preventDefault();
  }
}

htmx.onLoad((part) => part.querySelectorAll("canvas.map").forEach((canvas) => new RiskMap(canvas)));
