import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { distance, features } from '../../../tests/providers/speech-features.ts'
import { sampleRate, speak, voices } from './speech.ts'

const hasEspeak = spawnSync('espeak-ng', ['--version']).status === 0
if (!hasEspeak) console.warn('Speech is not compared with another synthesiser: espeak-ng is not installed.')

const words = 'بار کار دار مار سیر شیر پیر تیر باد بید بود دود ماه راه چاه گاو نان نام روز موز'.split(' ')
const espeakRate = 22_050

test.skipIf(!hasEspeak)('of 20 similar words at least 16 are nearest to the same word of espeak-ng', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'speech-'))
  try {
    const references = words.map((word) => {
      const file = path.join(folder, 'word.wav')
      execFileSync('espeak-ng', ['-v', 'fa', '-w', file, word])
      const wave = readFileSync(file)
      const data = wave.subarray(wave.indexOf('data') + 8)
      return features(samplesOf(data), espeakRate)
    })
    const kian = voices.find(({ id }) => id === 'sandbox-kian')!
    const heard = words.map((word) => {
      const chunks = [...speak(word, kian)]
      const bytes = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk.buffer, 0, chunk.byteLength)))
      const own = features(samplesOf(bytes), sampleRate)
      const distances = references.map((reference) => distance(own, reference))
      return words[distances.indexOf(Math.min(...distances))]!
    })
    const wrong = words.flatMap((word, at) => (heard[at] === word ? [] : [`${word} as ${heard[at]}`]))
    console.log(`${words.length - wrong.length} of ${words.length} words; wrong: ${wrong.join(', ')}`)
    expect(wrong.length, wrong.join(', ')).toBeLessThanOrEqual(4)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

function samplesOf(bytes: Uint8Array): Float64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Float64Array.from({ length: bytes.byteLength >> 1 }, (_, at) => view.getInt16(2 * at, true) / 32_768)
}
