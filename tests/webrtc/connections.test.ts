import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../media/browser.ts'
import {
  call,
  closeInPage,
  type Echo,
  openCaller,
  openLoopback,
  sayInPage,
  stateOf,
  withoutUdp,
} from './browser-peer.ts'

describe.skipIf(browserPath === undefined)('a connection of WebRTC', () => {
  const stack = new AsyncDisposableStack()
  let page: Page
  beforeAll(async () => {
    page = await openCaller(stack)
  })
  afterAll(() => stack.disposeAsync())

  /** Sound in both directions, and texts. */
  async function works(id: number, echo: Echo): Promise<void> {
    await expect.poll(() => echo.isConnected).toBe(true)
    await expect.poll(() => echo.isOpen).toBe(true)
    await expect.poll(() => echo.heard).toBeGreaterThan(10)
    await expect
      .poll(() => stateOf(page, id))
      .toMatchObject({ state: 'connected', channel: 'open', texts: ['hello'] })
    await expect.poll(async () => (await stateOf(page, id)).received).toBeGreaterThan(10)
    await sayInPage(page, id, 'سلام')
    await expect.poll(() => stateOf(page, id)).toMatchObject({ texts: ['hello', 'سلام'] })
  }

  test('carries sound and texts over UDP', async () => {
    await using rtc = await openLoopback()
    const { echo, id } = await call(page, rtc)
    await works(id, echo)
    expect(echo.peer!.path).toBe('udp')
  })

  test('carries sound and texts over TCP', async () => {
    await using rtc = await openLoopback()
    const { echo, id } = await call(page, rtc, withoutUdp)
    await works(id, echo)
    expect(echo.peer!.path).toBe('tcp')
  })

  test('carries sound and texts over IPv6', async () => {
    await using rtc = await openLoopback({ listen: ['::1'] })
    const { echo, id } = await call(page, rtc)
    await works(id, echo)
    expect((await stateOf(page, id)).candidate).toBe('udp ::1')
  })

  test('the end of either side is noticed by the other', async () => {
    await using rtc = await openLoopback()
    const [first, second] = [await call(page, rtc), await call(page, rtc)]
    await works(first.id, first.echo)
    await works(second.id, second.echo)
    await closeInPage(page, first.id)
    await expect.poll(() => first.echo.end).toBe('closed')
    second.echo.peer!.close()
    await expect.poll(() => stateOf(page, second.id)).toMatchObject({ channel: 'closed' })
  })
})
