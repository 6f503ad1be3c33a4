/** The API changes nothing for a page of another origin that lets the browser send the person's cookies. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hostRequest } from '../../harness/host-request.ts'
import { sharedWorld } from '../../harness/shared-world.ts'
import { boot, type World } from '../../harness/world.ts'

let world: World
let named: World
beforeAll(async () => {
  world = await sharedWorld()
  named = await boot({ env: { KHERAD_BASE_URL: 'https://ai.example.org' } })
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await named[Symbol.asyncDispose]()
})

const cookie = 'session=of-the-person'

/** The code of the refusal. Without a session of any kind, a request that is let through ends at the missing key. */
const codeOf = async (...request: Parameters<typeof errorOf>): Promise<string> =>
  (await errorOf(...request)).code

async function errorOf(at: World, headers: Record<string, string>, method = 'POST', path = '/v1/files') {
  const { port } = new URL(at.url)
  const { text } = await hostRequest(at.url, `127.0.0.1:${port}`, { method, path, headers, body: '' })
  return JSON.parse(text).error as { code: string; message: string }
}

test('with a cookie, every other origin is refused before anything is looked at, on paths that exist and others', async () => {
  const own = new URL(world.url)
  for (const origin of [
    'https://evil.example',
    'null',
    `http://127.0.0.1:${Number(own.port) + 1}`,
    `https://127.0.0.1:${own.port}`,
    `http://localhost:${own.port}`,
    `http://shop.localhost:${own.port}`,
    `${own.origin}/`,
    '',
  ])
    for (const [method, path] of [
      ['POST', '/v1/files'],
      ['DELETE', '/v1/files/x'],
      ['PUT', '/v1/nothing'],
      ['PATCH', '/v1/files'],
      ['POST', '/health/live'],
    ])
      expect(await codeOf(world, { cookie, origin }, method, path), `${method} ${origin}`).toBe(
        'CROSS_SITE_REQUEST',
      )
})

test('with a cookie and no Origin, the browser’s own word about the page counts', async () => {
  for (const site of ['cross-site', 'same-site'])
    expect(await codeOf(world, { cookie, 'sec-fetch-site': site }), site).toBe('CROSS_SITE_REQUEST')
  for (const site of ['same-origin', 'none'])
    expect(await codeOf(world, { cookie, 'sec-fetch-site': site }), site).toBe('INVALID_API_KEY')
  expect(await codeOf(world, { cookie, origin: world.url, 'sec-fetch-site': 'cross-site' })).toBe(
    'CROSS_SITE_REQUEST',
  )
})

test('its own origin, requests without a cookie, with a key, and those that change nothing go on', async () => {
  const origin = 'https://evil.example'
  expect(await codeOf(world, { cookie, origin: world.url })).toBe('INVALID_API_KEY')
  expect(await codeOf(world, { origin })).toBe('INVALID_API_KEY')
  expect(await codeOf(world, { cookie })).toBe('INVALID_API_KEY')
  expect(await codeOf(world, { cookie, origin, authorization: 'Bearer khr_wrong' })).toBe('INVALID_API_KEY')
  for (const method of ['GET', 'OPTIONS'])
    expect(await codeOf(world, { cookie, origin }, method, '/v1/nothing'), method).toBe('ROUTE_NOT_FOUND')
})

test('where the base URL is configured it is the one own origin, whatever host a request names', async () => {
  expect(await codeOf(named, { cookie, origin: 'https://ai.example.org' })).toBe('INVALID_API_KEY')
  expect(await codeOf(named, { cookie, origin: named.url })).toBe('CROSS_SITE_REQUEST')
  const forged = {
    cookie,
    origin: 'https://evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
  }
  expect(await codeOf(named, forged)).toBe('CROSS_SITE_REQUEST')
  expect(await codeOf(world, forged)).toBe('CROSS_SITE_REQUEST')
})

test('who opens the pages at another address is told the right one, in both languages', async () => {
  for (const language of ['fa', 'en']) {
    const { message } = await errorOf(named, { cookie, origin: named.url, 'accept-language': language })
    expect(message, language).toContain('https://ai.example.org')
  }
})
