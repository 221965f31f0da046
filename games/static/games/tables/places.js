/* Where seats are around the table: the own one at the bottom, then clockwise, so that the left neighbour is left. */

/** Plates of the others, in per cent of the felt: 0 is the left or the upper edge, 100 the right or the lower one. */
const PLATES = {
  2: [[50, 0]],
  3: [
    [0, 22],
    [100, 22],
  ],
  4: [
    [0, 36],
    [50, 0],
    [100, 36],
  ],
  5: [
    [0, 66],
    [0, 6],
    [100, 6],
    [100, 66],
  ],
  6: [
    [0, 78],
    [0, 22],
    [50, 0],
    [100, 22],
    [100, 78],
  ],
  7: [
    [0, 88],
    [0, 42],
    [16, 0],
    [84, 0],
    [100, 42],
    [100, 88],
  ],
};

/** The same on a phone on its side, whose felt is low: at most two in a column, the others at the top. */
const LOW_PLATES = {
  2: [[25, 0]],
  3: [
    [0, 100],
    [100, 100],
  ],
  4: [
    [0, 100],
    [28, 0],
    [100, 100],
  ],
  5: [
    [0, 100],
    [0, 0],
    [100, 0],
    [100, 100],
  ],
  6: [
    [0, 100],
    [0, 0],
    [22, 0],
    [100, 0],
    [100, 100],
  ],
  7: [
    [0, 100],
    [0, 0],
    [22, 0],
    [78, 0],
    [100, 0],
    [100, 100],
  ],
};

/** How far played cards lie from the middle, in card widths and card heights. */
const SPREAD = { 2: [0.2, 0.52], 3: [0.85, 0.5], 4: [0.98, 0.6], 5: [1.1, 0.72], 6: [1.15, 0.82], 7: [1.22, 0.9] };

/** Places counted clockwise from the bottom. */
export const placeOf = (seat, bottom, players) => (seat - bottom + players) % players;

export const plateAt = (place, players) => PLATES[players][place - 1];
export const lowPlateAt = (place, players) => LOW_PLATES[players][place - 1];

export function cardAt(place, players) {
  const angle = Math.PI / 2 + (2 * Math.PI * place) / players;
  const [wide, high] = SPREAD[players];
  return [Math.cos(angle) * wide, Math.sin(angle) * high];
}

/** The turn of an arrow that points up, so that it points to this place. */
export const arrowTo = (place, players) => 180 + (360 * place) / players;

/** A little disorder, the same for a card every time it lies there. */
export const tilt = (card, place) => ((card.charCodeAt(0) * 7 + card.charCodeAt(1) * 3 + place * 5) % 9) - 4;
