/** The fake vendor of rooms that keep a WebSocket open, and what every file of their tests does with it. */
import { afterAll, afterEach, expect } from 'vitest'
import { UpstreamError } from '#core/spec'
import type { UpstreamAddress } from '#providers/kit'
import { type FakeSockets, socketUpstream } from '../harness/socket-upstream.ts'
import { secret } from './media-asking.ts'

interface LinkVendor {
  upstream: FakeSockets
  address: () => UpstreamAddress
  /** Closed after each test. */
  opened: { close(): Promise<unknown> }[]
}

/** Call once in a file. */
export async function openLinkVendor(): Promise<LinkVendor> {
  const upstream = await socketUpstream()
  const opened: LinkVendor['opened'] = []
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((link) => link.close()))
    upstream.reset()
  })
  afterAll(() => upstream[Symbol.asyncDispose]())
  return { upstream, opened, address: () => ({ baseUrl: upstream.url, apiKey: secret }) }
}

export const refusal = (work: Promise<unknown>): Promise<UpstreamError> =>
  work.then(
    () => expect.fail('it succeeded'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(UpstreamError)
      return error as UpstreamError
    },
  )
