/** Where no jail can be built that holds, nothing is accepted and nothing runs, and every answer says why. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { boot, type World } from '../../harness/world.ts'
import { answering, call, deploy, functionsOf, send, textOf } from './scene.ts'

let world: World
beforeAll(async () => {
  world = await boot()
})
afterAll(() => world[Symbol.asyncDispose]())

const why = {
  en: 'the program bwrap is missing here; install the package bubblewrap',
  fa: 'برنامهٔ bwrap اینجا نیست؛ بستهٔ bubblewrap را نصب کنید',
}

test('a deployment is refused in a sentence of each language and stores nothing, and so is a call', async () => {
  const cloud = await world.newCloud()
  await deploy(cloud, 'before', answering('before'))
  const state = vi.spyOn(world.app.functions, 'state').mockResolvedValue({ kind: 'refused', why })
  try {
    for (const [language, sentence] of [
      ['en', `Functions do not run here: ${why.en}.`],
      ['fa', `تابع‌ها اینجا اجرا نمی‌شوند: ${why.fa}.`],
    ] as const) {
      const headers = { 'accept-language': language }
      const refused = await send(cloud, 'after', answering('after'), {}, headers)
      expect([refused.status, refused.body.error.code, refused.body.error.message]).toEqual([
        ...[503, 'FUNCTIONS_UNAVAILABLE', sentence],
      ])
      const list = await cloud.client.get(functionsOf(cloud), headers)
      expect(list.body.runtime).toEqual({ status: 'refused', reason: why[language] })
      expect(list.body.data.map(({ name }: { name: string }) => name)).toEqual(['before'])
    }
    const called = await call(cloud, 'before')
    expect([called.status, called.headers.get('x-relay-error')]).toEqual([503, 'true'])
    expect(await called.json()).toMatchObject({ code: 'FUNCTIONS_UNAVAILABLE' })
  } finally {
    state.mockRestore()
  }
  // The same, once it holds again.
  expect(await textOf(cloud, 'before')).toBe('before')
  await deploy(cloud, 'after', answering('after'))
})
