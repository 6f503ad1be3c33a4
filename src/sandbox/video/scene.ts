/** The pictures of a video second by second: which of them are encoded, and which are repeated. */

import type { Drawing } from './draw.ts'
import { type EncodedLoop, encodeLoop } from './encode.ts'
import { changedSlice, columnsOf } from './h264.ts'
import { fps, type Layout } from './layout.ts'
import { mixPictures, overlay, type Planes, planesOf, spriteOf } from './pixels.ts'

/** The slices of each second, `fps` of them; the first needs no other picture, so that a player can begin there. */
export interface Scene {
  parameters: Uint8Array
  seconds: Uint8Array[][]
}

/**
 * The scene of a video. Without frames it is one second in which a star swings, again and again. With two frames the first is shown, becomes the
 * second within a second in the middle, and the second stays; with one frame it becomes the loop.
 */
export async function sceneOf(drawing: Drawing, layout: Layout, seconds: number): Promise<Scene> {
  const frames = drawing.frames.map((pixels) => planesOf(pixels, layout.scene))
  const [first, last] = frames
  const swinging = last ? undefined : starLoop(drawing, layout)
  if (!first) {
    const loop = await encodeLoop(fps, swinging!)
    return { parameters: loop.parameters, seconds: Array<Uint8Array[]>(seconds).fill(loop.slices) }
  }
  const fade = await encodeLoop(fps, faded(first, last ?? swinging!(0)))
  const before = Math.floor((seconds - 1) / 2)
  const after = seconds - 1 - before
  const held = before > 0 ? await stillLoop(first, layout) : []
  const then =
    after === 0 ? [] : last ? await stillLoop(last, layout) : (await encodeLoop(fps, swinging!)).slices
  return {
    parameters: fade.parameters,
    seconds: [
      ...Array<Uint8Array[]>(before).fill(held),
      fade.slices,
      ...Array<Uint8Array[]>(after).fill(then),
    ],
  }
}

/** The slices of a second without movement: one encoded picture, and pictures in which all stays as it is. */
async function stillLoop(picture: Planes, { scene, sceneRows }: Layout): Promise<EncodedLoop['slices']> {
  const { slices } = await encodeLoop(1, () => picture)
  const count = columnsOf(scene.width) * sceneRows
  return [
    slices[0]!,
    ...Array.from({ length: fps - 1 }, (_, index) => changedSlice({ number: index + 1, first: 0 }, count)),
  ]
}

/** The pictures of a fade, which begins with `one` as it is and ends with `other` as it is. */
const faded = (one: Planes, other: Planes) => (number: number) => mixPictures(one, other, number / (fps - 1))

function starLoop({ backdrop, star, lane }: Drawing, { scene }: Layout): (number: number) => Planes {
  const still = planesOf(backdrop!, scene)
  const sprite = spriteOf(star.pixels, star.size)
  const reach = (scene.width - sprite.planes.width) / 2
  return (number) => {
    const picture = { ...still, bytes: still.bytes.slice() }
    const x = reach * (1 + 0.9 * Math.sin((2 * Math.PI * number) / fps))
    overlay(picture, sprite, 2 * Math.round(x / 2), lane)
    return picture
  }
}
