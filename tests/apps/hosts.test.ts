/** Who answers on the second listener: told by the host, whatever is written there. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hostRequest } from '../harness/host-request.ts'
import { boot, type World } from '../harness/world.ts'
import { namedHandler } from './named-handler.ts'

let world: World
beforeAll(async () => {
  world = await boot({
    hostHandlers: () => [
      namedHandler('first', ['shop.localhost']),
      namedHandler('second', ['blog.localhost']),
    ],
  })
})
afterAll(() => world[Symbol.asyncDispose]())

const ask = (host: string, path = '/') => hostRequest(world.appsUrl, host, { path })

test('each host is answered by the handler that has it, and a host that nobody has by 404', async () => {
  expect((await ask('shop.localhost', '/a?b=c')).text).toBe('first shop.localhost /a?b=c')
  expect((await ask('blog.localhost')).text).toBe('second blog.localhost /')
  const unknown = await ask('other.localhost')
  expect(unknown.status).toBe(404)
  expect(JSON.parse(unknown.text).error.code).toBe('HOST_NOT_FOUND')
})
