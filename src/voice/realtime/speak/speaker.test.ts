import { expect, test } from 'vitest'
import { maxWaitingSamples, PacedSpeaker } from './speaker.ts'

const frame = 480

/** A speaker whose played frames are recorded. */
function opened({ tailMs = 0 } = {}) {
  const played: { samples: Float32Array; itemId: string | undefined }[] = []
  const speaker = new PacedSpeaker({
    play: (samples, itemId) => void played.push({ samples, itemId }),
    tailMs: () => tailMs,
  })
  const tick = (times: number): void => {
    for (let time = 0; time < times; time++) speaker.tick()
  }
  return { speaker, played, tick }
}

const sound = (ms: number, level = 0.5): Float32Array => new Float32Array(24 * ms).fill(level)

/** Whether the promise has resolved once everything pending has run. */
async function isDone(promise: Promise<void>): Promise<boolean> {
  let done = false
  void promise.then(() => {
    done = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  return done
}

test('a frame is played at each tick, silence where nothing waits, and items in their order', () => {
  const { speaker, played, tick } = opened()
  tick(1)
  speaker.say('a', sound(30))
  speaker.say('b', sound(20, 0.25))
  void speaker.finish('a')
  tick(4)
  expect(played.map(({ itemId }) => itemId)).toEqual([undefined, 'a', 'a', 'b', undefined])
  expect(played.every(({ samples }) => samples.length === frame)).toBe(true)
  // The last frame of an item is filled up with silence.
  expect(played[2]!.samples.filter((sample) => sample === 0.5)).toHaveLength(240)
  expect(played[3]!.samples.every((sample) => sample === 0.25)).toBe(true)
})

test('less than a frame waits for more of its item, and is played when no more comes', () => {
  const { speaker, played, tick } = opened()
  speaker.say('a', sound(10))
  tick(1)
  expect(played[0]!.itemId).toBeUndefined()
  speaker.say('a', sound(10))
  tick(1)
  expect(played[1]!.samples.every((sample) => sample === 0.5)).toBe(true)
  speaker.say('a', sound(1))
  void speaker.finish('a')
  tick(1)
  expect(played[2]!.itemId).toBe('a')
})

test('an item is finished once it has been heard at the other end, and not before', async () => {
  const { speaker, tick } = opened({ tailMs: 50 })
  speaker.say('a', sound(40))
  const finished = speaker.finish('a')
  tick(4)
  expect(await isDone(finished)).toBe(false)
  expect(speaker.isPlaying).toBe(true)
  tick(1)
  expect(await isDone(finished)).toBe(true)
  expect(speaker.isPlaying).toBe(false)
  expect(await isDone(speaker.finish('nobody'))).toBe(true)
})

test('five minutes may wait and not a sample more', () => {
  const { speaker, tick } = opened()
  expect(speaker.say('a', new Float32Array(maxWaitingSamples))).toBe(true)
  expect(speaker.say('a', new Float32Array(1))).toBe(false)
  tick(1)
  expect(speaker.say('a', new Float32Array(frame))).toBe(true)
  expect(speaker.say('b', new Float32Array(1))).toBe(false)
})

test('there is room while less than ten seconds wait, and again when so little is left or all is cut', async () => {
  const { speaker, tick } = opened()
  speaker.say('a', sound(9_999))
  expect(await isDone(speaker.waitForRoom())).toBe(true)
  speaker.say('a', sound(1))
  const room = speaker.waitForRoom()
  expect(await isDone(room)).toBe(false)
  tick(1)
  expect(await isDone(room)).toBe(true)
  speaker.say('a', sound(1_000))
  const more = speaker.waitForRoom()
  speaker.cut()
  expect(await isDone(more)).toBe(true)
})

test('ducking lowers by 18 dB within 10 ms and without a step, and unducking comes back so', () => {
  const { speaker, played, tick } = opened()
  speaker.say('a', sound(1_000))
  tick(1)
  speaker.duck()
  tick(2)
  speaker.unduck()
  tick(2)
  const samples = played.flatMap((one) => [...one.samples])
  const steps = samples.map((sample, index) => Math.abs(sample - (samples[index - 1] ?? sample)))
  expect(Math.max(...steps)).toBeLessThan(0.005)
  const low = 20 * Math.log10(samples[frame + 240]! / 0.5)
  expect(low).toBeCloseTo(-18, 3)
  expect(samples[3 * frame - 1]).toBe(samples[frame + 240])
  expect(samples.at(-1)).toBe(0.5)
})

test('a cut is silent within 10 ms, without a click, and says what was heard to the millisecond of the client', async () => {
  const { speaker, played, tick } = opened({ tailMs: 130 })
  speaker.say('a', sound(1_000), 'یک دو سه چهار پنج شش هفت هشت نه ده')
  const finished = speaker.finish('a')
  speaker.say('b', sound(1_000), 'دیگر')
  tick(25)
  expect(speaker.cut()).toMatchObject({ itemId: 'a', playedMs: 370 })
  tick(2)
  const [fading, silent] = played.slice(-2)
  expect(fading).toMatchObject({ itemId: undefined })
  expect(fading!.samples[0]).toBeGreaterThan(0.49)
  expect(fading!.samples.slice(240).every((sample) => sample === 0)).toBe(true)
  expect(silent!.samples.every((sample) => sample === 0)).toBe(true)
  expect(await isDone(finished)).toBe(true)
  expect(speaker.isPlaying).toBe(false)
  expect(speaker.cut()).toBeUndefined()
})

test('what was cut stays silent: sound of it that comes later is not taken, and the next item is as loud as ever', () => {
  const { speaker, played, tick } = opened()
  speaker.say('a', sound(100))
  speaker.duck()
  tick(2)
  speaker.cut()
  expect(speaker.say('a', sound(100))).toBe(false)
  expect(speaker.say('b', sound(100))).toBe(true)
  tick(2)
  expect(played.at(-1)).toMatchObject({ itemId: 'b' })
  expect(played.at(-1)!.samples.every((sample) => sample === 0.5)).toBe(true)
})

test('of items that were cut, the last hundred are known', () => {
  const { speaker } = opened()
  const ids = Array.from({ length: 101 }, (_, index) => `item ${index}`)
  for (const id of ids) {
    speaker.say(id, sound(20))
    speaker.cut()
  }
  const isTaken = (id: string): boolean => speaker.say(id, sound(20))
  expect(ids.map(isTaken)).toEqual([true, ...ids.slice(1).map(() => false)])
})

test('an item whose end is still on its way is the one that is cut, and those behind it were never heard', () => {
  const { speaker, tick } = opened({ tailMs: 100 })
  speaker.say('a', sound(40), 'تمام')
  void speaker.finish('a')
  speaker.say('b', sound(100), 'هیچ')
  tick(4)
  expect(speaker.cut()).toEqual({ itemId: 'a', playedMs: 0, heard: '' })
  speaker.say('c', sound(40), 'تمام')
  void speaker.finish('c')
  speaker.say('d', sound(100), 'هیچ')
  // One of these frames fades out the sound that was cut before.
  tick(8)
  expect(speaker.cut()).toEqual({ itemId: 'd', playedMs: 0, heard: '' })
})

test('words were heard as far as their share of the letters reaches, whole ones only', () => {
  const heardAfter = (frames: number): string => {
    const { speaker, tick } = opened()
    speaker.say('a', sound(400), 'سلام، خوش آمدید. ')
    speaker.say('a', sound(300), 'بفرمایید')
    speaker.say('a', sound(300))
    void speaker.finish('a')
    tick(frames)
    return speaker.cut()!.heard
  }
  expect(heardAfter(7)).toBe('')
  // Five of fourteen letters are heard in 400 ms.
  expect(heardAfter(8)).toBe('سلام،')
  expect(heardAfter(19)).toBe('سلام، خوش')
  expect(heardAfter(20)).toBe('سلام، خوش آمدید.')
  expect(heardAfter(49)).toBe('سلام، خوش آمدید.')
})

test('of a piece whose sound is still coming, no more words are taken as heard than can have been said', () => {
  const { speaker, tick } = opened()
  speaker.say('a', sound(200), 'الف بای پسین تمام')
  tick(10)
  // Seventeen signs take 850 ms at least, so three of fourteen letters were heard.
  expect(speaker.cut()).toEqual({ itemId: 'a', playedMs: 200, heard: 'الف' })
})
