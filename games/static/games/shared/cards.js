/* Card faces, drawn here: a large index of rank and suit, and a big sign that stays visible in a fan. */

const SUITS = {
  C: "M12 2a4.6 4.6 0 0 1 3.7 7.3 4.6 4.6 0 1 1-2.7 7.7c.2 2 1 3.7 2.5 5H8.5c1.5-1.3 2.3-3 2.5-5a4.6 4.6 0 1 1-2.7-7.7A4.6 4.6 0 0 1 12 2z",
  D: "M12 1.8L20.3 12 12 22.2 3.7 12z",
  H: "M12 21.5C6.5 17 2.5 13.3 2.5 8.6 2.5 5.5 4.8 3.2 7.6 3.2c1.8 0 3.4.9 4.4 2.5 1-1.6 2.6-2.5 4.4-2.5 2.8 0 5.1 2.3 5.1 5.4 0 4.7-4 8.4-9.5 12.9z",
  S: "M12 2c4 4.6 8.5 7.7 8.5 12 0 2.9-2.1 4.6-4.3 4.6-1.5 0-2.6-.7-3.2-1.8.2 2.3 1 3.9 2.5 5.2H8.5c1.5-1.3 2.3-2.9 2.5-5.2-.6 1.1-1.7 1.8-3.2 1.8-2.2 0-4.3-1.7-4.3-4.6C3.5 9.7 8 6.6 12 2z",
};

/* The court: a crown, a coronet and a plumed hat above the suit. */
const COURT = {
  K: "M3 19l-1-12 5.5 4.5L12 4l4.5 7.5L22 7l-1 12z",
  Q: "M4 19L2.5 9.5 8 13l4-8 4 8 5.5-3.5L20 19zM12 2.2a1.7 1.7 0 1 1 0 3.4 1.7 1.7 0 0 1 0-3.4zM2.5 6.4a1.6 1.6 0 1 1 0 3.2 1.6 1.6 0 0 1 0-3.2zM21.5 6.4a1.6 1.6 0 1 1 0 3.2 1.6 1.6 0 0 1 0-3.2z",
  J: "M2 17c3-1.5 17-1.5 20 0v2.3c-3 1.4-17 1.4-20 0zM6 14.8C6 10.5 8.5 8 12 8c1 0 2 .2 2.8.6C15.5 5 18.5 2.5 22 2c.2 3.8-1.2 6.5-4.6 8.4.4 1.2.6 2.7.6 4.4-3.5-.8-8.5-.8-12 0z",
};

const SVG = "http://www.w3.org/2000/svg";

function drawing(path, name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", name);
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS(SVG, "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
}

export const suitSign = (suit) => {
  const sign = drawing(SUITS[suit], "sign");
  sign.dataset.suit = suit;
  return sign;
};

function span(name, ...children) {
  const node = document.createElement("span");
  node.className = name;
  node.append(...children);
  return node;
}

/** The face of a card such as "QS". Decoration only: whoever shows it gives it a name to be read. */
export function cardFace(card) {
  const [rank, suit] = card;
  const shown = rank === "T" ? "10" : rank;
  const index = span("card-rank");
  index.dataset.shown = shown; // drawn by the style sheet: the name of the card is text enough
  const face = span("card", span("card-index", index, drawing(SUITS[suit], "card-suit")));
  face.append(drawing(SUITS[suit], "card-pip"));
  if (COURT[rank]) face.append(drawing(COURT[rank], "card-court"));
  face.dataset.suit = suit;
  face.dataset.rank = rank;
  face.setAttribute("aria-hidden", "true");
  return face;
}

export function cardBack() {
  const back = span("card card-back");
  back.setAttribute("aria-hidden", "true");
  return back;
}

/** Order in the hand: suits of different colour side by side, each from the two up. */
const ORDER = "CDSH";
const RANKS = "23456789TJQKA";

export function inHandOrder(cards) {
  const place = ([rank, suit]) => ORDER.indexOf(suit) * 13 + RANKS.indexOf(rank);
  return [...cards].sort((a, b) => place(a) - place(b));
}

/** Cards in two rows, cut where a suit ends if that leaves the rows about equal. */
export function inTwoRows(cards) {
  const half = Math.ceil(cards.length / 2);
  const ends = [half, half + 1, half - 1];
  const cut = ends.find((end) => cards[end] && cards[end][1] !== cards[end - 1][1]) ?? half;
  return [cards.slice(0, cut), cards.slice(cut)];
}
