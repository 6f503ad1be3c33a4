/** What a client that has proven itself may send and must send, each at the bound at which it is ended. */
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Scheduler } from '#platform/scheduler'
import type { WebRtc } from '#platform/webrtc'
import { collectGarbage } from '../../harness/collect-garbage.ts'
import { Echo, openLoopback } from '../../platform/webrtc/browser-peer.ts'
import { LeanPeer, offerOf } from '../../platform/webrtc/lean-peer.ts'

/** Of the endpoint, in milliseconds; it stands still where a test does not move it. */
let nowMs = 0
let rtc: WebRtc
let flooded = 0
/** While it is held nobody has a turn. */
let isHeld = false
const held: (() => void)[] = []
const release = (): void => {
  isHeld = false
  for (const run of held.splice(0)) run()
}
beforeEach(async () => {
  nowMs = flooded = 0
  release()
  const webrtcDropped = {
    inc: ({ reason }: { reason: string }, count: number) => {
      if (reason === 'flood') flooded += count
    },
  }
  const webrtcConnections = { inc() {}, dec() {} }
  rtc = await openLoopback({
    connectMs: 10_000,
    nowMs: () => nowMs,
    scheduler: new Scheduler({ soon: (run) => void (isHeld ? held.push(run) : process.nextTick(run)) }),
    metrics: { webrtcDropped, webrtcConnections } as never,
  })
})
afterEach(() => rtc[Symbol.asyncDispose]())

interface Made extends AsyncDisposable {
  echo: Echo
  peer: LeanPeer
  texts: string[]
}

async function connected(): Promise<Made> {
  const echo = new Echo()
  const texts: string[] = []
  const peer = await LeanPeer.connect({
    answer(offer) {
      echo.peer = rtc.answer(offer, echo)
      return echo.peer.answer
    },
    text: (text) => texts.push(text),
  })
  return { echo, peer, texts, [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose]() }
}

/** Until the connection has ended. Resolves with how many were sent, to fifty. */
async function flood(
  { echo, peer }: Pick<Made, 'echo' | 'peer'>,
  send: () => unknown,
  most: number,
): Promise<number> {
  let sent = 0
  while (echo.end === undefined && sent < most) {
    await send()
    if (++sent % 50 > 0) continue
    // The sockets of the system hold a few hundred: the answer to a check says that all before it was read.
    const { checks } = peer.came
    peer.check()
    while (peer.came.checks === checks && echo.end === undefined) await turn()
  }
  return sent
}

/** Once a second the endpoint looks at its connections, and reports each 5 s of its time. */
async function tickAt(ms: number, { peer }: { peer: LeanPeer }): Promise<void> {
  nowMs = ms
  const { reports } = peer.came
  await expect.poll(() => peer.came.reports).toBeGreaterThan(reports)
}

test('a client of another implementation holds sound and texts, and is not taken for a flood', async () => {
  await using made = await connected()
  const { echo, peer, texts } = made
  for (let i = 0; i < 20; i++) peer.sendAudio(Buffer.from([0x48, i]), i * 960)
  peer.sendText('سلام')
  await expect.poll(() => peer.came.packets).toBe(20)
  await expect.poll(() => texts).toEqual(['hello', 'سلام'])
  expect([echo.end, flooded]).toEqual([undefined, 0])
})

test('a flood of sound ends it, and is counted', async () => {
  await using made = await connected()
  const sent = await flood(made, () => made.peer.sendAudio(Buffer.alloc(80, 0x48), 0), 20_000)
  expect(made.echo.end).toBe('abuse')
  expect(sent).toBeGreaterThan(2_000)
  // 120 at once, and 60 a second.
  expect(made.echo.heard).toBeLessThan(1_000)
  await expect.poll(() => flooded).toBeGreaterThan(1_000)
})

test('records of data that are none of SCTP cost their sender his turns, however many they are, and end nothing', async () => {
  await using made = await connected()
  const { echo, peer } = made
  await flood(made, () => peer.sendRecord(Buffer.alloc(1)), 11_000)
  await flood(made, () => peer.sendRecord(Buffer.alloc(1_150)), 9_000)
  expect(echo.end).toBeUndefined()
  peer.sendText('still here')
  await expect.poll(() => echo.texts).toEqual(['still here'])
})

test('what comes while nobody has a turn is dropped unread beyond 256 datagrams', async () => {
  await using made = await connected()
  await expect.poll(() => made.texts).toEqual(['hello'])
  made.peer.stopChecks()
  isHeld = true
  for (let i = 0; i < 400; i++) {
    made.peer.sendAudio(Buffer.from([0x48]), i * 960)
    if (i % 10 === 0) await turn()
  }
  await expect.poll(() => flooded).toBeGreaterThan(400 - 256 - 1)
  // The rest of what SCTP had to say is among what waits.
  expect(flooded).toBeLessThan(400 - 256 + 10)
  expect(made.echo.heard).toBe(0)
  const releasedMs = Date.now()
  release()
  // Of sound 120 at once are heard, and 60 more for each second that a slow machine takes for it.
  await expect.poll(() => made.echo.heard).toBeGreaterThanOrEqual(120)
  expect(made.echo.heard).toBeLessThanOrEqual(121 + ((Date.now() - releasedMs) * 60) / 1_000)
  expect(made.echo.end).toBeUndefined()
})

test('sound of one comes before what waits of another', async () => {
  await using loud = await connected()
  await using quiet = await connected()
  await expect.poll(() => [loud.texts, quiet.texts]).toEqual([['hello'], ['hello']])
  const order: string[] = []
  const noteOf = (made: Made, name: string): void => {
    const { audio } = Echo.prototype
    made.echo.audio = (packet, sequence) => {
      order.push(name)
      audio.call(made.echo, packet, sequence)
    }
  }
  noteOf(loud, 'loud')
  noteOf(quiet, 'quiet')
  isHeld = true
  for (let i = 0; i < 100; i++) {
    loud.peer.sendAudio(Buffer.from([0x48]), i * 960)
    if (i % 10 === 0) await turn()
  }
  quiet.peer.sendAudio(Buffer.from([0x48]), 0)
  // It is there when more than may wait has come behind it.
  for (let i = 0; i < 200; i++) {
    loud.peer.sendRecord(Buffer.alloc(1))
    if (i % 10 === 0) await turn()
  }
  await expect.poll(() => flooded).toBeGreaterThan(0)
  release()
  await expect.poll(() => order.length).toBe(101)
  expect(order.indexOf('quiet')).toBeLessThan(50)
})

test('of a flood of checks 500 are answered, and it ends nothing', async () => {
  await using made = await connected()
  for (let i = 0; i < 1_000; i++) {
    made.peer.check()
    // In one turn of the loop 32 are read at most: of more than are read the system would throw some away.
    if (i % 20 === 0) await turn()
  }
  await expect.poll(() => flooded).toBeGreaterThan(499)
  await expect.poll(() => made.peer.came.checks).toBe(500)
  expect(made.echo.end).toBeUndefined()
})

test('whoever sends sound and no longer consents to ours is lost after 30 s', async () => {
  await using made = await connected()
  const { echo, peer } = made
  peer.stopChecks()
  // A check that was on its way has been read before it, by the clock of the beginning.
  peer.sendAudio(Buffer.from([0x48]), 0)
  await expect.poll(() => echo.heard).toBe(1)
  for (const ms of [12_000, 24_000, 29_999]) {
    await tickAt(ms, made)
    const { heard } = echo
    peer.sendAudio(Buffer.from([0x48]), ms)
    await expect.poll(() => echo.heard).toBeGreaterThan(heard)
  }
  expect(echo.end).toBeUndefined()
  nowMs = 30_000
  await expect.poll(() => echo.end).toBe('lost')
})

test('a thousand offers that nobody follows leave nothing in memory', async () => {
  const fingerprint = Array(32).fill('AB').join(':')
  let ends = 0
  const peers = Array.from({ length: 1_000 }, (_, i) => {
    const echo = new Echo()
    echo.ended = () => void ends++
    return new WeakRef(rtc.answer(offerOf(`name${i}`, fingerprint), echo))
  })
  nowMs = 10_000
  await expect.poll(() => ends).toBe(1_000)
  // Not at the first collection, perhaps: what ran last may still lie on a stack. What is held is there at every one.
  const left = (): number => {
    collectGarbage()
    return peers.filter((peer) => peer.deref() !== undefined).length
  }
  await expect.poll(left).toBe(0)
})
