/** Sign-in of app users on the database of their own cloud, as an unchanged client has it (docs/decisions/0083). */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { boot, dedicatedConfig, type TestCloud, type World } from '../../harness/world.ts'
import { hasJail } from '../jail/needs-jail.ts'
import { ask, newAddress, newClient, password } from '../users/app.ts'

const it = test.runIf(await hasJail())
let world: World
let cloud: TestCloud
beforeAll(async () => {
  if (!(await hasJail())) return
  world = await boot({ config: dedicatedConfig })
  cloud = await world.dedicatedCloud()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

/** Statements of the app's developer. */
const sql = (text: string, values: unknown[] = []) =>
  world.app.databases.use(
    world_cloud(),
    async (open) => (await open.pool('postgres').query(text, values)).rows,
  )
const world_cloud = () => ({ accountId: world.account, cloudId: cloud.id })

it('sign-up, sign-in, refresh, change and sign-out are those of a Starter cloud', async () => {
  const [client, email] = [newClient(cloud), newAddress()]
  const up = await client.auth.signUp({ email, password, options: { data: { name: 'مینا' } } })
  expect(up.error).toBeNull()
  expect(up.data.user).toMatchObject({
    email,
    user_metadata: { name: 'مینا' },
    app_metadata: { provider: 'email' },
  })
  const [row] = await sql('select * from auth.users where email = $1', [email])
  expect(row).toMatchObject({
    id: up.data.user!.id,
    raw_user_meta_data: { name: 'مینا' },
    encrypted_password: null,
  })
  const wrong = await client.auth.signInWithPassword({ email, password: 'not it at all' })
  expect(wrong.error?.code).toBe('invalid_credentials')
  expect((await client.auth.signInWithPassword({ email, password })).error).toBeNull()
  const refreshed = await client.auth.refreshSession()
  expect(refreshed.error).toBeNull()
  expect((await client.auth.updateUser({ data: { name: 'رضا' }, password: 'another-one' })).error).toBeNull()
  expect((await client.auth.getUser()).data.user?.user_metadata).toEqual({ name: 'رضا' })
  const token = refreshed.data.session!.access_token
  expect((await client.auth.signOut()).error).toBeNull()
  expect((await ask(cloud, 'GET', '/user', { token })).status).toBe(401)
  expect((await client.auth.signInWithPassword({ email, password: 'another-one' })).error).toBeNull()
})
