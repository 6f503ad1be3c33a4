/**
 * Processor time for a second of sound of 24 kHz, in ms: `npm run bench:sound`. The threads of encoders count. Then what four hours from the disk cost, where
 * ffmpeg makes them: the seconds and processor time of this process, the longest turn of its loop, and its memory; those of confined processes come on top.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { decodeSound, encodeSound, joinSpeech, loudnessOf, resample, soundFormats } from '#core/sound'
import { speechLike } from '../tests/core/sound/samples.ts'

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

/** By format: how ffmpeg writes a minute at 64 kbit/s, which is repeated. */
const hours: Record<string, string[]> = {
  mp3: ['-c:a', 'libmp3lame', '-b:a', '64k'],
  ogg: ['-c:a', 'libvorbis', '-b:a', '64k'],
  webm: ['-c:a', 'libopus', '-b:a', '64k'],
  adts: ['-c:a', 'aac', '-b:a', '64k'],
  ipod: ['-c:a', 'aac', '-b:a', '64k'],
}
const minutes = 240

function printHours(format: string, args: readonly string[], folder: string): void {
  const minute = path.join(folder, `minute.${format}`)
  const file = path.join(folder, `hours.${format}`)
  const tone = 'aevalsrc=0.3*sin(2*PI*180*t)*(0.6+0.4*sin(9*t))*(0.5+0.5*sgn(59-t)):s=44100:d=60'
  const write = (words: readonly string[]) => execFileSync('ffmpeg', ['-v', 'error', ...words])
  write(['-f', 'lavfi', '-i', tone, ...args, '-f', format, minute])
  write(['-stream_loop', String(minutes - 1), '-i', minute, '-c', 'copy', '-f', format, file])
  const program = path.join(import.meta.dirname, '../tests/core/sound/four-hours-process.ts')
  const words = [program, file, String(statSync(file).size), path.join(folder, 'spool'), ffmpegOnPath()]
  const { stdout } = spawnSync(process.execPath, words, { maxBuffer: 1 << 26 })
  const { openMs, allMs, cpuMs, childrenMs, maxMs, maxRssMb } = JSON.parse(stdout.toString())
  const shown = [openMs, allMs, cpuMs, childrenMs, maxMs, maxRssMb].map((value) => Math.round(value))
  process.stdout.write(`${`four hours, ${format}`.padEnd(24)}${shown.join('\t')}\n`)
}

const ffmpegOnPath = (): string => spawnSync('which', ['ffmpeg']).stdout.toString().trim()

if (spawnSync('ffmpeg', ['-version']).status === 0) {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-sound-'))
  process.stdout.write('\nopen ms\tall ms\town CPU ms\tconfined CPU ms\tlongest turn ms\tmemory MB\n')
  for (const [format, args] of Object.entries(hours)) printHours(format, args, folder)
  rmSync(folder, { recursive: true })
}
