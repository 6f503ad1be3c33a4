/** Work that goes on after an answer (`waitUntil`), seen as apps and developers see it. */
import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedWorld } from '../../harness/shared-world.ts'
import { until } from '../../harness/until.ts'
import type { TestCloud, World } from '../../harness/world.ts'
import { deploy, functionsOf, textOf } from './scene.ts'

let world: World
let cloud: TestCloud
beforeAll(async () => {
  world = await sharedWorld()
  cloud = await world.newCloud()
})
afterAll(() => world[Symbol.asyncDispose]())

test('a promise goes on after the answer, by EdgeRuntime and by the context, also one that a stream begins at its end', async () => {
  await deploy(
    cloud,
    'notes',
    `const steps = []
    const later = async (name) => { await new Promise((resolve) => setTimeout(resolve, 30)); steps.push(name) }
    EdgeRuntime.waitUntil(Promise.resolve())
    export default { fetch(request, env, context) {
      if (request.method === 'GET') return Response.json(steps)
      EdgeRuntime.waitUntil(later('edge'))
      context.waitUntil(later('context'))
      const end = new TransformStream({ flush: () => void EdgeRuntime.waitUntil(later('streamed')) })
      steps.push('answered')
      return new Response(new Blob(['ok']).stream().pipeThrough(end))
    } }`,
  )
  const client = createClient(cloud.pathUrl, cloud.publicKey, { auth: { persistSession: false } })
  const { data, error } = await client.functions.invoke('notes', { method: 'POST' })
  expect([data, error]).toEqual(['ok', null])
  const steps = await until(async () => {
    const found = JSON.parse(await textOf(cloud, 'notes'))
    return found.length > 3 ? (found as string[]) : undefined
  })
  expect(steps.toSorted()).toEqual(['answered', 'context', 'edge', 'streamed'])
  expect(steps[0]).toBe('answered')
})

test('work after the answer reads the body of its request, the secrets and the address of its cloud, as before it', async () => {
  await deploy(
    cloud,
    'reads',
    `let read = ''
    Deno.serve((request) => {
      if (request.method === 'GET') return new Response(read)
      EdgeRuntime.waitUntil((async () => {
        await new Promise((resolve) => setTimeout(resolve, 50))
        const { name } = await request.json()
        const answer = await fetch(Deno.env.get('SUPABASE_URL') + '/auth/v1/settings', { headers: { apikey: Deno.env.get('SUPABASE_ANON_KEY') } })
        read = name + ' ' + answer.status
      })())
      return new Response('accepted')
    })`,
  )
  const body = JSON.stringify({ name: 'زهرا', filling: 'x'.repeat(100_000) })
  expect(await textOf(cloud, 'reads', { method: 'POST', body })).toBe('accepted')
  expect(await until(async () => (await textOf(cloud, 'reads')) || undefined)).toBe('زهرا 200')
})

test('a promise that is rejected is a line of the log, and the function goes on', async () => {
  await deploy(
    cloud,
    'rejects',
    `Deno.serve(() => {
      EdgeRuntime.waitUntil(Promise.reject(new Error('پس از پاسخ')))
      EdgeRuntime.waitUntil((async () => { throw 'text' })())
      return new Response(String(EdgeRuntime.waitUntil('no promise')))
    })`,
  )
  expect(await textOf(cloud, 'rejects')).toBe('no promise')
  expect(await textOf(cloud, 'rejects')).toBe('no promise')
  const lines = await until(async () => {
    const { body } = await cloud.client.get(`${functionsOf(cloud)}/rejects/logs?level=error`)
    return body.data.length >= 4 ? body.data : undefined
  })
  expect(lines).toHaveLength(4)
  for (const { message, request_id: request } of lines) {
    expect(message).toMatch(/^A promise of waitUntil was rejected: (?:Error: پس از پاسخ|text)/)
    expect(request).toEqual(expect.any(String))
  }
})
