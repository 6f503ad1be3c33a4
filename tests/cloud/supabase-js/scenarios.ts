/** What an app does with the client, each step naming the calls that it is a test of. */
import { expect } from 'vitest'
import { until } from '../../harness/until.ts'
import type { App } from './app.ts'
import { type Client, newAddress } from './people.ts'

export interface Scenario {
  name: string
  calls: string[]
  run(app: App): Promise<unknown>
}

export const scenario = (name: string, calls: string, run: Scenario['run']): Scenario => ({
  name,
  calls: calls.split(' '),
  run,
})

/** The answer, or what was refused where nobody expected it. */
// biome-ignore lint/suspicious/noExplicitAny: what comes without an error is read as what it is.
export async function ok(asked: PromiseLike<{ data: unknown; error: unknown }>): Promise<any> {
  const { data, error } = await asked
  expect(error).toBeNull()
  return data
}

const people = [
  {
    name: 'مینا',
    age: 30,
    tags: ['الف', 'ب'],
    span: '[1,5)',
    text: 'کتاب‌های تازه و خواندنی',
    done: true,
    none: null,
  },
  { name: 'میلاد', age: 40, tags: ['ب', 'پ'], span: '[5,9)', text: 'دفترِ کهنه', done: false, none: 1 },
  { name: 'Sara', age: 50, tags: ['ت'], span: '[10,20)', text: 'a new book', done: false, none: 2 },
]

interface Filled {
  client: Client
  rows: string
}

/** Rows that are only read, one collection of them for all: a cloud has twenty. */
const kept = new WeakMap<App, Promise<Filled>>()
export function filled(app: App): Promise<Filled> {
  let found = kept.get(app)
  if (!found) {
    found = fill(app)
    kept.set(app, found)
  }
  return found
}

async function fill(app: App): Promise<Filled> {
  const [rows, { client }] = [await app.collection(), await app.person()]
  await ok(client.from(rows).insert(people).select())
  return { client, rows }
}

// biome-ignore lint/suspicious/noExplicitAny: a filter of whatever kind.
type Filter = (query: any) => PromiseLike<{ data: unknown; error: unknown }>
const filters: Record<string, [filter: Filter, names: string[]]> = {
  eq: [(q) => q.eq('name', 'مینا'), ['مینا']],
  neq: [(q) => q.neq('name', 'مینا'), ['میلاد', 'Sara']],
  gt: [(q) => q.gt('age', 30), ['میلاد', 'Sara']],
  gte: [(q) => q.gte('age', 40), ['میلاد', 'Sara']],
  lt: [(q) => q.lt('age', 40), ['مینا']],
  lte: [(q) => q.lte('age', 40), ['مینا', 'میلاد']],
  like: [(q) => q.like('name', 'می%'), ['مینا', 'میلاد']],
  likeAllOf: [(q) => q.likeAllOf('name', ['می%', '%نا']), ['مینا']],
  likeAnyOf: [(q) => q.likeAnyOf('name', ['%نا', 'Sa%']), ['مینا', 'Sara']],
  ilike: [(q) => q.ilike('name', 'sa%'), ['Sara']],
  ilikeAllOf: [(q) => q.ilikeAllOf('name', ['SA%', '%RA']), ['Sara']],
  ilikeAnyOf: [(q) => q.ilikeAnyOf('name', ['SA%', 'x']), ['Sara']],
  is: [(q) => q.is('none', null), ['مینا']],
  isDistinct: [(q) => q.isDistinct('none', 1), ['مینا', 'Sara']],
  in: [(q) => q.in('name', ['مینا', 'Sara']), ['مینا', 'Sara']],
  notIn: [(q) => q.notIn('name', ['مینا', 'Sara']), ['میلاد']],
  contains: [(q) => q.contains('tags', ['ب']), ['مینا', 'میلاد']],
  containedBy: [(q) => q.containedBy('tags', ['الف', 'ب', 'ت']), ['مینا', 'Sara']],
  rangeGt: [(q) => q.rangeGt('span', '[1,5)'), ['میلاد', 'Sara']],
  rangeGte: [(q) => q.rangeGte('span', '[5,9)'), ['میلاد', 'Sara']],
  rangeLt: [(q) => q.rangeLt('span', '[5,9)'), ['مینا']],
  rangeLte: [(q) => q.rangeLte('span', '[5,9)'), ['مینا', 'میلاد']],
  rangeAdjacent: [(q) => q.rangeAdjacent('span', '[5,9)'), ['مینا']],
  overlaps: [(q) => q.overlaps('tags', ['الف', 'ت']), ['مینا', 'Sara']],
  textSearch: [(q) => q.textSearch('text', 'book', { type: 'plain' }), ['Sara']],
  match: [(q) => q.match({ name: 'مینا', done: true }), ['مینا']],
  not: [(q) => q.not('name', 'eq', 'مینا'), ['میلاد', 'Sara']],
  or: [(q) => q.or('name.eq.Sara,age.lt.35'), ['مینا', 'Sara']],
  filter: [(q) => q.filter('age', 'eq', 50), ['Sara']],
}

/** With collections and with tables alike. */
export const rows: Scenario[] = [
  ...Object.entries(filters).map(([name, [filter, names]]) =>
    scenario(`rows are found by ${name}`, `select().${name} from().select`, async (app) => {
      const { client, rows } = await filled(app)
      const found = (await ok(filter(client.from(rows).select()))) as { name: string }[]
      expect(found.map((row) => row.name).sort()).toEqual(names.toSorted())
    }),
  ),
  scenario(
    'rows are ordered, cut and counted',
    'client.from client.schema schema().from schema().schema select().order select().limit select().range select().then',
    async (app) => {
      const { client, rows } = await filled(app)
      const ages = async (query: PromiseLike<{ data: unknown; error: unknown }>) =>
        ((await ok(query)) as { age: number }[]).map(({ age }) => age)
      const all = () => client.schema('public').schema('public').from(rows).select('age')
      expect(await ages(all().order('age', { ascending: false }))).toEqual([50, 40, 30])
      expect(await ages(all().order('age').limit(1))).toEqual([30])
      expect(await ages(all().order('age').range(1, 2))).toEqual([40, 50])
      const { count, data } = await client.from(rows).select('*', { count: 'exact', head: true })
      expect([count, data]).toEqual([3, null])
    },
  ),
  scenario('one row is one object', 'select().single select().maybeSingle', async (app) => {
    const { client, rows } = await filled(app)
    expect(await ok(client.from(rows).select('name').eq('age', 50).single())).toEqual({ name: 'Sara' })
    expect((await client.from(rows).select().single()).error?.code).toBe('PGRST116')
    expect(await client.from(rows).select().eq('age', 1).maybeSingle()).toMatchObject({
      data: null,
      error: null,
    })
    expect((await client.from(rows).select().maybeSingle()).error?.code).toBe('PGRST116')
  }),
  scenario('rows leave as CSV, and without what is null', 'select().csv select().stripNulls', async (app) => {
    const { client, rows } = await filled(app)
    expect(await ok(client.from(rows).select('name,age').eq('age', 50).csv())).toBe('name,age\nSara,50')
    expect(await ok(client.from(rows).select('name,none').eq('age', 30).stripNulls())).toEqual([
      { name: 'مینا' },
    ])
  }),
  scenario(
    'rows are written',
    'from().insert from().upsert from().update from().delete select().select',
    async (app) => {
      const [rows, { client }] = [await app.collection(), await app.person()]
      const [row] = await ok(client.from(rows).insert({ name: 'یک' }).select())
      await ok(client.from(rows).upsert({ id: row.id, name: 'دو' }).select())
      expect(await ok(client.from(rows).update({ more: 1 }).eq('id', row.id).select('name,more'))).toEqual([
        { name: 'دو', more: 1 },
      ])
      expect((await client.from(rows).delete().eq('id', row.id)).status).toBe(204)
      expect(await ok(client.from(rows).select())).toEqual([])
    },
  ),
  scenario(
    'a change of too many rows, or one that is tried out, changes nothing',
    'select().maxAffected select().rollback',
    async (app) => {
      const { client, rows } = await fill(app)
      const many = (
        client.from(rows).update({ age: 1 }).gt('age', 0) as unknown as {
          maxAffected(n: number): PromiseLike<{ error: unknown }>
        }
      ).maxAffected(1)
      expect((await many).error).toMatchObject({ code: 'PGRST124' })
      await ok(client.from(rows).delete().gt('age', 0).select().rollback())
      expect(await ok(client.from(rows).select().gte('age', 30))).toHaveLength(3)
    },
  ),
  scenario(
    'a request is aborted, repeated, typed and given headers by the client itself',
    'select().abortSignal select().retry select().returns select().overrideTypes select().setHeader select().throwOnError',
    async (app) => {
      const { client, rows } = await filled(app)
      const aborted = await client.from(rows).select().abortSignal(AbortSignal.abort())
      expect(aborted.error?.message).toMatch(/abort/i)
      const typed = client
        .from(rows)
        .select()
        .retry(true)
        .setHeader('x-client-info', 'mine')
        .returns<{ name: string }[]>()
      expect(await ok(typed)).toHaveLength(3)
      expect(await ok(client.from(rows).select().overrideTypes<{ name: string }[]>())).toHaveLength(3)
      await expect(Promise.resolve(client.from('no_such').select().throwOnError())).rejects.toMatchObject({
        code: 'PGRST205',
      })
    },
  ),
  scenario(
    'the collections describe themselves',
    'client.getOpenApiSpec schema().getOpenApiSpec',
    async (app) => {
      const rows = await app.collection()
      expect(JSON.stringify(await ok(app.service().getOpenApiSpec()))).toContain(rows)
    },
  ),
]

const sessions: Scenario[] = [
  scenario(
    'users sign up, in and out',
    'auth.signUp auth.signInWithPassword auth.signOut auth.getUser auth.getSession',
    async (app) => {
      const { client, email, password, id } = await app.person()
      expect((await ok(client.auth.getUser())).user.id).toBe(id)
      expect((await client.auth.signOut()).error).toBeNull()
      expect((await client.auth.getSession()).data.session).toBeNull()
      expect((await ok(client.auth.signInWithPassword({ email, password }))).user?.id).toBe(id)
    },
  ),
  scenario('somebody is nobody in particular', 'auth.signInAnonymously', async (app) => {
    expect((await ok(app.client().auth.signInAnonymously())).user?.is_anonymous).toBe(true)
  }),
  scenario(
    'a session is refreshed, set and read from its token',
    'auth.refreshSession auth.setSession auth.getClaims',
    async (app) => {
      const { client, id } = await app.person()
      const { session } = await ok(client.auth.refreshSession())
      const other = app.client()
      await ok(other.auth.setSession(session!))
      const claims = await ok(other.auth.getClaims())
      expect([claims.claims.sub, claims.header.alg]).toEqual([id, 'ES256'])
    },
  ),
  scenario(
    'an own account is changed, and shows how it signs in',
    'auth.updateUser auth.getUserIdentities auth.mfa.listFactors auth.mfa.getAuthenticatorAssuranceLevel',
    async (app) => {
      const { client } = await app.person()
      const { user } = await ok(client.auth.updateUser({ data: { city: 'یزد' } }))
      expect(user.user_metadata['city']).toBe('یزد')
      expect((await ok(client.auth.getUserIdentities())).identities[0]?.provider).toBe('email')
      expect((await ok(client.auth.mfa.listFactors())).all).toEqual([])
      expect(await ok(client.auth.mfa.getAuthenticatorAssuranceLevel())).toMatchObject({
        currentLevel: 'aal1',
      })
    },
  ),
  scenario(
    'a client tells of its sessions and keeps them fresh',
    'auth.initialize auth.onAuthStateChange auth.startAutoRefresh auth.stopAutoRefresh auth.dispose auth.isThrowOnErrorEnabled',
    async (app) => {
      const client = app.client()
      const events: string[] = []
      const { data } = client.auth.onAuthStateChange((event) => void events.push(event))
      expect((await client.auth.initialize()).error).toBeNull()
      await ok(client.auth.signUp({ email: newAddress(), password: 'گذرواژهٔ بلند ۱۲۳' }))
      await client.auth.startAutoRefresh()
      await client.auth.stopAutoRefresh()
      await until(() => events.includes('SIGNED_IN'))
      data.subscription.unsubscribe()
      expect(
        (client.auth as unknown as { isThrowOnErrorEnabled(): boolean }).isThrowOnErrorEnabled(),
      ).toBeFalsy()
      await client.auth.dispose()
    },
  ),
  scenario(
    'the service key looks after users',
    'auth.admin.createUser auth.admin.listUsers auth.admin.getUserById auth.admin.updateUserById auth.admin.deleteUser auth.admin.signOut',
    async (app) => {
      const { admin } = app.service().auth
      const email = newAddress()
      const { user } = await ok(
        admin.createUser({ email, password: 'گذرواژهٔ بلند ۱۲۳', email_confirm: true }),
      )
      expect((await ok(admin.getUserById(user!.id))).user?.email).toBe(email)
      expect(
        (await ok(admin.listUsers({ perPage: 1_000 }))).users.map(({ id }: { id: string }) => id),
      ).toContain(user!.id)
      expect(
        (await ok(admin.updateUserById(user!.id, { user_metadata: { a: 1 } }))).user?.user_metadata,
      ).toMatchObject({ a: 1 })
      const own = app.client()
      const { session } = await ok(own.auth.signInWithPassword({ email, password: 'گذرواژهٔ بلند ۱۲۳' }))
      expect((await admin.signOut(session!.access_token)).error).toBeNull()
      expect((await own.auth.getUser()).error?.name).toBe('AuthSessionMissingError')
      await ok(admin.deleteUser(user!.id))
      expect((await admin.getUserById(user!.id)).error?.status).toBe(404)
    },
  ),
  scenario(
    'a link that the service key makes signs in',
    'auth.admin.generateLink auth.verifyOtp',
    async (app) => {
      const { email, id } = await app.person()
      const { properties } = await ok(app.service().auth.admin.generateLink({ type: 'magiclink', email }))
      const { user } = await ok(
        app.client().auth.verifyOtp({ token_hash: properties!.hashed_token, type: 'magiclink' }),
      )
      expect(user?.id).toBe(id)
    },
  ),
]

const local: Scenario[] = [
  scenario(
    'what has no bucket is still put together by the client',
    'storage.from storage.throwOnError storage.setHeader storage.from().getPublicUrl storage.from().toBase64 storage.from().throwOnError storage.from().setHeader',
    async (app) => {
      const client = app.client()
      client.storage.setHeader('x-mine', '1').throwOnError()
      const bucket = app.client().storage.from('pictures')
      bucket.setHeader('x-mine', '1').throwOnError()
      expect(bucket.getPublicUrl('a.png').data.publicUrl).toContain(
        '/storage/v1/object/public/pictures/a.png',
      )
      expect((bucket as unknown as { toBase64(text: string): string }).toBase64('a')).toBe('YQ==')
    },
  ),
  scenario(
    'scopes of vectors are made by the client',
    'storage.vectors.from storage.vectors.throwOnError storage.vectors.setHeader storage.vectors.from().index storage.vectors.from().throwOnError storage.vectors.from().setHeader storage.vectors.from().index().throwOnError storage.vectors.from().index().setHeader storage.analytics.throwOnError storage.analytics.setHeader storage.analytics.from',
    async (app) => {
      const { vectors, analytics } = app.client().storage
      const made = [vectors, vectors.from('b'), vectors.from('b').index('i'), analytics]
      for (const one of made) one.setHeader('x-mine', '1').throwOnError()
      expect(analytics.from('bucket')).toBeDefined()
    },
  ),
  scenario('a function is called', 'functions.setAuth functions.invoke', async (app) => {
    const code = `export default { async fetch(request) { return Response.json({ got: await request.json(), by: request.headers.get('authorization')?.slice(0, 7) }) } }`
    await app.deploy('echo', code)
    const { client } = await app.person()
    expect(await ok(client.functions.invoke('echo', { body: { text: 'سلام' } }))).toEqual({
      got: { text: 'سلام' },
      by: 'Bearer ',
    })
    const anonymous = await app.client().functions.invoke('echo', { body: {} })
    expect((anonymous.error as { context: Response }).context.status).toBe(401)
    const { data } = await client.auth.getSession()
    const other = app.client()
    other.functions.setAuth(data.session!.access_token)
    expect((await other.functions.invoke('echo', { body: {} })).error).toBeNull()
    const missing = await client.functions.invoke('missing')
    expect((missing.error as { context: Response }).context.status).toBe(404)
  }),
]

export const scenarios: Scenario[] = [...rows, ...sessions, ...local]
