import { expect, test } from 'vitest'
import { CallSound } from './call-sound.ts'
import { type ClockMember, SoundClock } from './clock.ts'

/** A clock that ticks when the test calls it. */
class HandClock extends SoundClock {
  member: ClockMember | undefined
  override join(member: ClockMember): () => void {
    this.member = member
    return () => {
      this.member = undefined
    }
  }
}

function opened(leadMs: number, pull?: () => Float32Array[]) {
  const clock = new HandClock()
  const played: (string | undefined)[] = []
  const heard: number[] = []
  let waiting: Float32Array[] = []
  const sound = new CallSound({
    clock,
    play: (_frame, itemId) => played.push(itemId),
    pull: pull ?? (() => waiting.splice(0)),
    hear: (frame) => heard.push(frame[0]!),
    leadMs,
    tailMs: () => 0,
    failed: () => undefined,
  })
  return {
    ...{ sound, played, heard, clock },
    listen: (...frames: Float32Array[]) => {
      waiting = frames
    },
    tick: (frames: number) => clock.member!.tick(frames),
    sounding: () => played.filter((itemId) => itemId !== undefined).length,
  }
}

test('sound goes ahead of the ear by the lead and no further, also after a pause, and counts as unheard until its time', () => {
  const { sound, tick, sounding } = opened(200)
  sound.speaker.say('a', new Float32Array(24 * 2_000))
  tick(1)
  expect(sounding()).toBe(2)
  for (let at = 0; at < 9; at++) tick(1)
  expect(sounding()).toBe(20)
  for (let at = 0; at < 10; at++) tick(1)
  expect(sounding()).toBe(30)
  expect(sound.speaker.cut()).toMatchObject({ itemId: 'a', playedMs: 400 })
  for (let at = 0; at < 10; at++) tick(1)
  sound.speaker.say('b', new Float32Array(24 * 2_000))
  const before = sounding()
  for (let at = 0; at < 20; at++) tick(1)
  expect(sounding() - before).toBe(30)
})

test('without a lead each tick plays one frame, and what is heard comes before it', () => {
  const { sound, tick, played, heard, listen } = opened(0)
  sound.speaker.say('a', new Float32Array(24 * 60))
  listen(new Float32Array(320).fill(1), new Float32Array(320).fill(2))
  tick(2)
  expect(heard).toEqual([1, 2])
  expect(played).toEqual(['a', 'a'])
})

test('after a delay of the process each frame that is missed is played, and what came meanwhile is asked for once', () => {
  let pulls = 0
  const { tick, played } = opened(0, () => {
    pulls += 1
    return []
  })
  tick(3)
  expect(played).toHaveLength(3)
  expect(pulls).toBe(1)
})

test('a call that is over has left the clock, and nobody waits for what it would have said', async () => {
  const { sound, clock } = opened(0)
  sound.speaker.say('a', new Float32Array(24 * 20_000))
  const waits = [sound.speaker.waitForRoom(), sound.speaker.finish('a')]
  sound[Symbol.dispose]()
  await Promise.all(waits)
  expect(clock.member).toBeUndefined()
})
