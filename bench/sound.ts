/** Processor time for a second of sound of 24 kHz, in ms: `npm run bench:sound`. The threads of encoders count. */
import { decodeSound, encodeSound, joinSpeech, loudnessOf, resample, soundFormats } from '#engine/sound'
import { speechLike } from '../tests/sound/samples.ts'

const seconds = 60
const rate = 24_000
const sound = speechLike(rate, seconds)

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}

/** The least of three runs, after one that compiles. */
async function print(name: string, act: () => Promise<unknown>): Promise<void> {
  await act()
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < 3; run++) {
    const before = process.cpuUsage()
    await act()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1_000 / seconds)
  }
  process.stdout.write(`${name.padEnd(24)}${least.toFixed(2)}\n`)
}

for (const format of soundFormats) {
  await print(`encode ${format}`, () => drain(encodeSound([sound], { format })))
  if (format === 'aac') continue
  const bytes = Buffer.concat(await Array.fromAsync(encodeSound([sound], { format })))
  await print(`decode ${format}`, () => drain(decodeSound([bytes], { pcm: { rate, channels: 1 } })))
}
await print('24 to 44.1 kHz', () => drain(resample([sound], 44_100)))
await print('loudness', () => loudnessOf([sound]))
await print('join and level', () => drain(joinSpeech([[sound]], { rate, lufs: -18 })))
