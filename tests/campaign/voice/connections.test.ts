import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WebRtc } from '#platform/webrtc'
import { openShapingProxy } from '../../harness/shaping-proxy.ts'
import { browserPath } from '../../media/browser.ts'
import {
  bufferedOf,
  call,
  closeInPage,
  type Echo,
  openCaller,
  openLoopback,
  openSecondChannel,
  sayAllInPage,
  sayInPage,
  stateOf,
  withoutUdp,
} from '../../platform/webrtc/browser-peer.ts'

/** A datagram of somebody who knows nothing but the address. */
async function throwAt({ port }: WebRtc, datagrams: Iterable<Buffer>): Promise<void> {
  const socket = createSocket('udp4')
  for (const datagram of datagrams)
    await new Promise((resolve) => socket.send(datagram, port, '127.0.0.1', resolve))
  socket.close()
  await once(socket, 'close')
}

const record = (type: number, body: Buffer, epoch = 0): Buffer => {
  const header = Buffer.from([type, 0xfe, 0xfd, 0, epoch, 0, 0, 0, 0, 0, 9, 0, body.length])
  return Buffer.concat([header, body])
}

/** What ended a running connection of werift's, and more of the kind. */
const hostile = [
  record(40, Buffer.from([1, 0])),
  record(21, Buffer.from([2, 40])),
  record(21, Buffer.from([1, 0]), 1),
  record(22, Buffer.concat([Buffer.from([1, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 8]), Buffer.alloc(8)])),
  record(23, Buffer.alloc(40), 1),
  record(20, Buffer.from([1])),
  Buffer.concat([Buffer.from('806f00010000000100000001', 'hex'), Buffer.alloc(60)]),
  Buffer.concat([Buffer.from('80c80006000000010000000100000001', 'hex'), Buffer.alloc(40)]),
  Buffer.from('000100002112a442000000000000000000000000', 'hex'),
  Buffer.from([22]),
  Buffer.alloc(1_501, 22),
]

describe.skipIf(browserPath === undefined)('a connection of WebRTC', () => {
  const stack = new AsyncDisposableStack()
  let page: Page
  beforeAll(async () => {
    page = await openCaller(stack)
  })
  afterAll(() => stack.disposeAsync())

  /** Sound in both directions, and texts. */
  async function works({ id, echo }: { id: number; echo: Echo }): Promise<void> {
    await expect.poll(() => echo.isOpen).toBe(true)
    await expect.poll(() => echo.heard).toBeGreaterThan(10)
    const state = { state: 'connected', channel: 'open', texts: ['hello'] }
    await expect.poll(() => stateOf(page, id)).toMatchObject(state)
    await expect.poll(async () => (await stateOf(page, id)).received).toBeGreaterThan(10)
    await sayInPage(page, id, 'سلام')
    await expect.poll(() => stateOf(page, id)).toMatchObject({ texts: ['hello', 'سلام'] })
  }

  /** Sound still goes both ways. */
  async function goesOn({ id, echo }: { id: number; echo: Echo }): Promise<void> {
    const [heard, { received }] = [echo.heard, await stateOf(page, id)]
    await expect.poll(() => echo.heard).toBeGreaterThan(heard + 5)
    await expect.poll(async () => (await stateOf(page, id)).received).toBeGreaterThan(received + 5)
    expect(echo.end).toBeUndefined()
  }

  test('carries sound and texts over UDP', async () => {
    await using rtc = await openLoopback()
    const made = await call(page, rtc)
    await works(made)
    await expect.poll(() => made.echo.peer!.path).toBe('udp')
    const { sequences } = made.echo
    expect(new Set(sequences).size).toBe(sequences.length)
  })

  test('carries sound and texts over TCP', async () => {
    await using rtc = await openLoopback()
    const made = await call(page, rtc, withoutUdp)
    await works(made)
    expect(made.echo.peer!.path).toBe('tcp')
  })

  test('carries sound and texts over IPv6', async () => {
    await using rtc = await openLoopback({ listen: ['::1'] })
    const made = await call(page, rtc)
    await works(made)
    await expect.poll(async () => (await stateOf(page, made.id)).candidate).toBe('udp ::1')
  })

  test('comes by an address that only the settings name, changes its path, and is lost with it', async () => {
    let movedMs = 0
    const nowMs = (): number => performance.now() + movedMs
    await using rtc = await openLoopback({ publicIps: ['127.0.0.5'], nowMs })
    await using proxy = await openShapingProxy({ target: { address: '127.0.0.1', port: rtc.port } })
    const made = await call(page, rtc)
    await works(made)
    await expect.poll(async () => (await stateOf(page, made.id)).candidate).toBe('udp 127.0.0.5')
    proxy.changePaths()
    await goesOn(made)
    proxy.toServer = { loss: 1 }
    movedMs = 16_000
    await expect.poll(() => made.echo.end).toBe('lost')
  })

  test('is made where a tenth is lost and the rest arrives out of order', async () => {
    await using rtc = await openLoopback({ publicIps: ['127.0.0.5'] })
    const target = { address: '127.0.0.1', port: rtc.port }
    const shaping = { loss: 0.1, jitterMs: 100, repeated: 0.1 }
    await using _proxy = await openShapingProxy({ target, toServer: shaping, toClient: shaping, seed: 5 })
    const made = await Promise.all(Array.from({ length: 5 }, () => call(page, rtc)))
    for (const one of made) await works(one)
    for (const one of made) await expect.poll(() => one.echo.peer!.stats().lost).toBeGreaterThan(0)
  })

  test('is not ended by what strangers send', async () => {
    await using rtc = await openLoopback()
    const made = await call(page, rtc)
    await works(made)
    await throwAt(rtc, hostile)
    await throwAt(rtc, Array(5_000).fill(hostile[0]))
    const lines = Array.from({ length: 70 }, () => connect(rtc.port, '127.0.0.1').on('error', () => {}))
    for (const line of lines) line.write(Buffer.alloc(200, 255))
    await goesOn(made)
    await expect.poll(() => lines.every(({ destroyed, closed }) => destroyed || closed)).toBe(true)
    expect(made.echo.texts).toEqual(['سلام'])
  })

  test('is made beside a thousand that nobody comes to, which end by themselves', async () => {
    let movedMs = 0
    // Of twenty seconds a page that is made on a busy machine has all: in two steps, since it would be lost after fifteen in silence.
    await using rtc = await openLoopback({ connectMs: 20_000, nowMs: () => performance.now() + movedMs })
    const made = await call(page, rtc)
    const ends: string[] = []
    const nobody = { connected() {}, audio() {}, channelOpen() {}, text() {} }
    for (let i = 0; i < 1_000; i++) rtc.answer(made.offer, { ...nobody, ended: (why) => ends.push(why) })
    await works(made)
    expect(ends).toEqual([])
    movedMs = 10_000
    await goesOn(made)
    movedMs = 20_001
    await expect.poll(() => ends.length).toBe(1_000)
    expect(new Set(ends)).toEqual(new Set(['failed']))
    await goesOn(made)
  })

  test('has one channel, whose texts have up to 64 KB', async () => {
    await using rtc = await openLoopback()
    const made = await call(page, rtc)
    await works(made)
    expect(await openSecondChannel(page, made.id)).toBe('closed')
    const longest = 'x'.repeat(65_536)
    await sayInPage(page, made.id, longest)
    await expect.poll(() => made.echo.texts.at(-1)?.length).toBe(65_536)
    await expect.poll(async () => (await stateOf(page, made.id)).texts.at(-1)?.length).toBe(65_536)
    expect(made.echo.peer!.sendText(`${longest}x`)).toBe(false)
    while (made.echo.peer!.sendText(longest));
    expect(made.echo.end).toBeUndefined()
    await goesOn(made)
  })

  test('serves a burst of 2,000 events and 256 KB whole and in order', async () => {
    await using rtc = await openLoopback()
    const made = await call(page, rtc)
    await works(made)
    const events = Array.from({ length: 2_000 }, (_, i) => `{"type":"session.update","event_id":"${i}"}`)
    const long = Array.from({ length: 4 }, (_, i) => String(i).repeat(65_536))
    const sent = ['سلام', ...events, ...long]
    await sayAllInPage(page, made.id, sent.slice(1))
    await expect.poll(async () => (await stateOf(page, made.id)).texts.length).toBe(1 + sent.length)
    expect(made.echo.texts).toEqual(sent)
    expect(await stateOf(page, made.id)).toMatchObject({ texts: ['hello', ...sent], channel: 'open' })
    await goesOn(made)
  })

  test('lets texts wait at their sender while nobody takes them, and loses none of 20,000', async () => {
    await using rtc = await openLoopback()
    const made = await call(page, rtc)
    await works(made)
    made.echo.peer!.holdTexts()
    const sent = Array.from({ length: 20_000 }, (_, i) => `an event of no meaning ${i}`)
    await sayAllInPage(page, made.id, sent)
    // All but what the window of the channel lets through at first.
    await goesOn(made)
    expect(await bufferedOf(page, made.id)).toBeGreaterThan(sent.join('').length / 2)
    expect(made.echo.texts).toEqual(['سلام'])
    made.echo.peer!.releaseTexts()
    await expect.poll(() => made.echo.texts.length).toBe(1 + sent.length)
    expect(made.echo.texts.slice(1)).toEqual(sent)
    await goesOn(made)
  })

  test('the end of either side is noticed by the other', async () => {
    await using rtc = await openLoopback()
    const [first, second] = [await call(page, rtc), await call(page, rtc, withoutUdp)]
    await works(first)
    await works(second)
    await closeInPage(page, first.id)
    await expect.poll(() => first.echo.end).toBe('closed')
    second.echo.peer!.close()
    await expect.poll(() => stateOf(page, second.id)).toMatchObject({ channel: 'closed' })
    expect(second.echo.end).toBe('closed')
  })
})
