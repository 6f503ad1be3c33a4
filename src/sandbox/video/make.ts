import type { Drawing } from './draw.ts'
import { sequenceParameters } from './h264.ts'
import { fps, type Layout } from './layout.ts'
import { type EncodedSound, mp4Of, type Origin } from './mp4.ts'
import { sceneOf } from './scene.ts'
import { Stripe } from './stripe.ts'

export interface VideoWork {
  drawing: Drawing
  layout: Layout
  seconds: number
  origin: Origin
  /** The words that are spoken; without them there is no sound. */
  words?: string
}

/** The bytes of a whole mp4; the same work always makes the same bytes. */
export async function videoOf({ drawing, layout, seconds, origin, words }: VideoWork): Promise<Uint8Array> {
  const [scene, sound] = await Promise.all([
    sceneOf(drawing, layout, seconds),
    words === undefined ? undefined : spoken(words, seconds),
  ])
  const stripe = new Stripe(drawing.stripes, layout, seconds)
  return mp4Of({
    origin,
    size: layout.size,
    sequence: sequenceParameters(layout.size, fps),
    parameters: scene.parameters,
    seconds: scene.seconds.map((slices, second) => {
      const below = stripe.slicesOf(second)
      return slices.map((slice, number) => [slice, below[number]!])
    }),
    sound,
  })
}

/** The sound of a video. Its module is loaded only for videos with sound: that takes as long as half of a short video. */
async function spoken(words: string, seconds: number): Promise<EncodedSound> {
  const { soundOf } = await import('./sound.ts')
  return await soundOf(words, seconds)
}
