import type Sigma from 'sigma';

/** Pixels after which a press becomes a drag. */
const MIN_DRAG = 3;

export interface PictureDrag {
  /** Whether the last press was a drag, and no click. */
  wasDragged(): boolean;
  close(): void;
}

/**
 * Drags the drawing of a large graph as a picture, and draws it anew when it is released. To draw each frame would take too long where no
 * graphics processor helps.
 */
export function dragAsPicture(sigma: Sigma, isOn: () => boolean): PictureDrag {
  const element = sigma.getContainer();
  const picture = sigma.getStageCanvas();
  let start: { readonly x: number; readonly y: number } | null = null;
  let moved = { x: 0, y: 0 };
  let wasDragged = false;
  const press = (event: PointerEvent): void => {
    wasDragged = false;
    if (event.button === 0 && isOn()) start = { x: event.clientX, y: event.clientY };
  };
  const move = (event: PointerEvent): void => {
    if (start === null) return;
    // Otherwise the node below the pointer would be looked for, which takes as long as to draw.
    event.stopPropagation();
    moved = { x: event.clientX - start.x, y: event.clientY - start.y };
    if (Math.hypot(moved.x, moved.y) >= MIN_DRAG) wasDragged = true;
    if (wasDragged) picture.style.transform = `translate(${String(moved.x)}px, ${String(moved.y)}px)`;
  };
  const release = (): void => {
    if (start === null) return;
    start = null;
    picture.style.transform = '';
    if (!wasDragged) return;
    const { width, height } = sigma.getDimensions();
    const centre = { x: width / 2 - moved.x, y: height / 2 - moved.y };
    sigma.getCamera().setState(sigma.viewportToFramedGraph(centre));
  };
  const capture = { capture: true };
  element.addEventListener('pointerdown', press, capture);
  window.addEventListener('pointermove', move, capture);
  window.addEventListener('pointerup', release, capture);
  return {
    wasDragged: () => wasDragged,
    close: () => {
      element.removeEventListener('pointerdown', press, capture);
      window.removeEventListener('pointermove', move, capture);
      window.removeEventListener('pointerup', release, capture);
    },
  };
}
