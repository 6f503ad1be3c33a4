import { expect, test } from 'vitest'
import { trimSound } from './trim.ts'

/** So many pieces of 160 samples at 16 kHz, whose samples are their positions. */
function* pieces(count: number) {
  for (let at = 0; at < count; at++)
    yield { rate: 16_000, samples: Float32Array.from({ length: 160 }, (_, index) => 160 * at + index) }
}

async function heardOf(count: number, part: Parameters<typeof trimSound>[1]): Promise<number[]> {
  const heard: number[] = []
  for await (const { samples } of trimSound(pieces(count), part)) heard.push(...samples)
  return heard
}

test('a sound is trimmed to the sample at both ends, however its pieces are cut', async () => {
  const heard = await heardOf(10, { skipSeconds: 100 / 16_000, discardSeconds: 250 / 16_000 })
  expect([heard[0], heard.at(-1), heard.length]).toEqual([100, 1_349, 1_250])
  const until = await heardOf(10, { skipSeconds: 0, untilSeconds: 0.05, discardSeconds: 0.0125 })
  expect([until[0], until.at(-1), until.length]).toEqual([0, 599, 600])
  expect(await heardOf(3, { skipSeconds: 0, discardSeconds: 1 })).toEqual([])
})

test('a file that says that all of it is to be left out costs no more than one that is heard', async () => {
  expect(await heardOf(20_000, { skipSeconds: 0, discardSeconds: 200 })).toEqual([])
})
