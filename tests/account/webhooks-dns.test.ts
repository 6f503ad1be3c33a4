import { expect, test } from 'vitest'
import { openSecrets, sha256 } from '#platform/secrets'
import { until } from '../harness/until.ts'
import { MovableClock } from '../harness/world.ts'
import {
  bootWebhooks,
  connect,
  deliveries,
  guardedFor,
  happen,
  nudge,
  path,
  toReceiver,
} from './webhooks-world.ts'

test('a name that leads inside by the time of the delivery is refused then, and nothing is sent', async () => {
  let inside = false
  const asked: string[] = []
  const net = guardedFor(async (name) => {
    asked.push(name)
    return inside ? [{ address: '127.0.0.1', family: 4 }] : toReceiver(name)
  })
  const clock = new MovableClock()
  await using at = await bootWebhooks({ net, clock })
  const url = `https://moves.test:${at.receiver.port}/moved`
  const made = await connect(at.key, url)
  expect(made.status, made.text).toBe(201)
  inside = true
  await happen(at)
  const refused = await until(async () => (await deliveries(at.key)).find(({ attempts }) => attempts === 1))
  expect(refused).toMatchObject({ status: 'pending', http_status: null, error: 'address_not_public' })
  expect(at.receiver.sockets()).toBe(0)
  const patched = await at.key.request('PATCH', `${path}/${made.body.id}`, JSON.stringify({ url }))
  expect(patched.status).toBe(400)

  // Back outside, the retry resolves anew and arrives. A kept connection goes to the address that was judged, wherever the name leads.
  inside = false
  clock.moveMs(Date.parse(refused.next_attempt_at) - clock.nowMs())
  const before = asked.length
  await nudge(at)
  await until(async () => (await deliveries(at.key, { status: 'delivered' })).length === 1)
  expect(asked.length).toBeGreaterThan(before)
  expect(at.receiver.got('moved')).toHaveLength(1)
})

test('what one key sealed no other opens: neither at the start nor later, and a text opens only for what it belongs to', async () => {
  await using at = await bootWebhooks()
  const { db, log, secrets } = at.world.app
  const sealed = await secrets.seal('a word', 'its row')
  expect(sealed).not.toContain('a word')
  expect(await secrets.seal('a word', 'its row')).not.toBe(sealed)
  expect(await secrets.open(sealed, 'its row')).toBe('a word')
  await expect(secrets.open(sealed, 'another row')).rejects.toThrow()
  const other = { db, log, file: '/nowhere/secret.key' }
  const refusal = { name: 'StartRefused', message: expect.stringContaining('KHERAD_SECRET') }
  await expect(openSecrets({ ...other, secret: sha256('other').toString('hex') })).rejects.toMatchObject(
    refusal,
  )
  await expect(openSecrets(other)).rejects.toMatchObject(refusal)
})
