/** Four hours at 64 kbit/s from the disk: measured, decoded once, its pauses found and a span of its end read, in bounded memory. */
import { execFile } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { ffmpeg, hasFfmpeg } from '../../core/sound/ffmpeg.ts'
import { maxTurnMs } from '../../cost/cost.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'four-hours-'))
afterAll(() => rmSync(folder, { recursive: true }))

const minutes = 240
/** Of a server, of which this is a part. */
const maxRssMb = 300
/** A minute with a pause of a second at its end. */
const minute = (name: string, args: string[]): string => {
  const file = path.join(folder, name)
  const speech = '0.3*sin(2*PI*180*t)*(0.6+0.4*sin(9*t))*(0.5+0.5*sgn(59-t))'
  ffmpeg(['-v', 'error', '-f', 'lavfi', '-i', `aevalsrc=${speech}:s=16000:d=60`, ...args, '-y', file])
  return file
}
/** Whole frames stand one behind another. */
function repeated(file: string): string {
  const all = `${file}.all`
  const bytes = readFileSync(file)
  for (let count = 0; count < minutes; count++) appendFileSync(all, bytes)
  return all
}
const copied = (file: string, format: string): string => {
  const all = `${file}.all`
  ffmpeg([
    '-v',
    'error',
    '-stream_loop',
    String(minutes - 1),
    '-i',
    file,
    '-c',
    'copy',
    '-f',
    format,
    '-y',
    all,
  ])
  return all
}

const run = promisify(execFile)
async function openedOnce(file: string) {
  const program = path.join(import.meta.dirname, '../../core/sound/four-hours-process.ts')
  const words = [program, file, String(statSync(file).size), path.join(folder, 'spool')]
  const { stdout } = await run(process.execPath, words, { maxBuffer: 1 << 26 })
  return JSON.parse(stdout)
}

/** A measure of processor time that is suspicious is taken again, as in tests/cost: the least is the cost, all else is noise of the machine. */
async function opened(file: string) {
  let found = await openedOnce(file)
  for (let again = 0; again < 4 && found.maxMs >= maxTurnMs; again++) found = await openedOnce(file)
  return found
}

describe.skipIf(!hasFfmpeg)('made by ffmpeg', () => {
  test('an MP3 without a table', async () => {
    const args = ['-b:a', '64k', '-write_xing', '0', '-id3v2_version', '0', '-f', 'mp3']
    const found = await opened(repeated(minute('a.mp3', args)))
    const frames = found.measured.seconds / (576 / 16_000)
    expect(frames).toBeCloseTo(minutes * Math.round(frames / minutes), 5)
    const each = found.measured.seconds / minutes
    expect(each).toBeGreaterThanOrEqual(60)
    expect(each).toBeLessThan(60.1)
    expect(found.pauses.length).toBe(minutes)
    for (const [index, [start]] of found.pauses.entries()) expect(start).toBeCloseTo(index * each + 59, 0)
    expect(found.wavSeconds).toBeCloseTo(60, 3)
    expect(found.maxRssMb).toBeLessThan(maxRssMb)
    expect(found.maxMs).toBeLessThan(maxTurnMs)
  }, 600_000)

  test('AAC without a decoder: measured, and its last minute cut by packets', async () => {
    const found = await opened(repeated(minute('a.aac', ['-c:a', 'aac', '-b:a', '64k', '-f', 'adts'])))
    const frames = (found.measured.seconds * 16_000) / 1_024
    expect(frames).toBeCloseTo(Math.round(frames), 5)
    expect(found.measured.seconds).toBeGreaterThan(minutes * 60)
    expect(found.packets.end).toBeCloseTo(found.measured.seconds, 5)
    expect(found.packets.end - found.packets.start).toBeCloseTo(60, 0)
    expect(found.maxRssMb).toBeLessThan(maxRssMb)
    expect(found.maxMs).toBeLessThan(maxTurnMs)
  }, 600_000)

  test('Opus in WebM, taken out of its container', async () => {
    const file = minute('a.webm', ['-c:a', 'libopus', '-b:a', '64k', '-application', 'voip', '-f', 'webm'])
    const found = await opened(copied(file, 'webm'))
    expect(found.measured).toMatchObject({ mediaType: 'audio/webm', codec: 'opus' })
    expect(found.measured.seconds / minutes).toBeCloseTo(60, 1)
    expect(found.pauses.length).toBe(minutes)
    expect(found.maxRssMb).toBeLessThan(maxRssMb)
    expect(found.maxMs).toBeLessThan(maxTurnMs)
  }, 600_000)
})
