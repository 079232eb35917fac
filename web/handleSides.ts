/** Chooses the sides of a mark where the visitor can reach its handles. */

interface Box {
  width: number;
  height: number;
}

/** Sides of a mark before its rotation: 1 is the right or upper side, and -1 is the left or lower side. */
export interface Sides {
  x: 1 | -1;
  y: 1 | -1;
}

/** Distance of the centers of the handles from the frame in CSS pixels: half of their size in `styles/marking.css`. */
const REACH_PX = 16;
/** Sides in the order of preference. */
const CHOICES: readonly Sides[] = [
  { x: 1, y: 1 },
  { x: -1, y: 1 },
  { x: 1, y: -1 },
  { x: -1, y: -1 },
];

/**
 * Returns the sides on which the handles extend least beyond the page and the visible room around the page. The handle
 * that turns the mark is beside the mark, and the handle that scales the mark is at a corner. All lengths are CSS
 * pixels.
 * @param frame size of the mark's frame
 * @param center middle of the mark, from the lower left corner of the page
 * @param angle rotation of the mark in degrees, counter-clockwise
 * @param room distances beyond the page's edges that are visible
 */
export function sidesOf(
  frame: Box,
  center: { x: number; y: number },
  angle: number,
  page: Box,
  room: { x: number; y: number },
): Sides {
  const [cos, sin] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
  const excess = (x: number, y: number): number => {
    const [left, up] = [center.x + x * cos - y * sin, center.y + x * sin + y * cos];
    return (
      Math.max(0, -left - room.x, left - page.width - room.x) + Math.max(0, -up - room.y, up - page.height - room.y)
    );
  };
  const excessOf = ({ x, y }: Sides): number => {
    const [across, along] = [x * (frame.width / 2 + REACH_PX), y * (frame.height / 2 + REACH_PX)];
    return excess(across, 0) + excess(across, along);
  };
  return CHOICES.reduce((best, one) => (excessOf(one) < excessOf(best) - 1 ? one : best));
}
