import { expect, test } from 'vitest'
import { encodeWhole } from './encode.ts'
import { findFlacFrames, flacSearchBytes } from './flac-search.ts'

const flacOf = async (rate: number): Promise<Buffer> => {
  const samples = Float32Array.from({ length: 2 * rate }, (_, at) => 0.3 * Math.sin(at ** 1.5 / 900))
  return Buffer.from((await encodeWhole([{ rate, samples }], { format: 'flac', maxBytes: 1 << 24 })).bytes)
}
const frameStarts = (bytes: Buffer): number[] => {
  const starts: number[] = []
  for (let at = bytes.indexOf('fff8', 0, 'hex'); at >= 0; at = bytes.indexOf('fff8', at + 1, 'hex'))
    starts.push(at)
  return starts
}

test('the first whole frame is found in what begins inside one, or with one, and the head that it needs is made', async () => {
  const bytes = await flacOf(16_000)
  const [first, second] = frameStarts(bytes)
  const within = findFlacFrames(bytes.subarray(first! + 9))
  expect(within?.at).toBe(second! - first! - 9)
  const [stated, made] = [bytes.subarray(18, 26), Buffer.from(within!.head).subarray(18, 26)]
  // Rate, channels and width; the number of samples is left open.
  expect(made.toString('hex').slice(0, 7)).toBe(stated.toString('hex').slice(0, 7))
  expect(Buffer.from(within!.head).toString('latin1', 0, 4)).toBe('fLaC')
  expect(within!.head).toHaveLength(42)
  expect(findFlacFrames(bytes.subarray(first!))?.at).toBe(0)
})

test('frames that leave their rate to the head are not taken', async () => {
  expect(findFlacFrames((await flacOf(88_200)).subarray(500))).toBeUndefined()
})

test('bytes that look like heads everywhere are left in time', () => {
  for (const unit of ['ff', 'fff8', 'fff8c9080000', 'fff87918', '00']) {
    const bytes = Buffer.alloc(flacSearchBytes, unit, 'hex')
    const begun = process.cpuUsage().user
    expect(findFlacFrames(bytes)).toBeUndefined()
    expect(process.cpuUsage().user - begun).toBeLessThan(250_000)
  }
})
