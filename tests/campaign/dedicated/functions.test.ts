/** Functions of dedicated clouds: TypeScript, and the cloud's own database. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DedicatedCloud, dedicatedCloud, dedicatedWorld } from '../../cloud/dedicated/dedicated-world.ts'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import type { World } from '../../harness/world.ts'

const canRun = await hasJail()
const check = test.runIf(canRun)
let world: World
let cloud: DedicatedCloud
let publicKey: string
beforeAll(async () => {
  if (!canRun) return
  world = await dedicatedWorld()
  cloud = await dedicatedCloud(world)
  publicKey = (await cloud.client.get(`/v1/cloud/${cloud.id}/connection`)).body.public_key
})
afterAll(async () => {
  if (canRun) await world[Symbol.asyncDispose]()
})

const send = (name: string, code: string) =>
  cloud.client.post(`/v1/cloud/${cloud.id}/functions`, { name, code, verify_jwt: false })
async function answerOf(name: string, code: string, init: RequestInit = {}): Promise<string> {
  const made = await send(name, code)
  expect(made.status, made.text).toBe(201)
  const url = `${world.appsUrl}/_cloud/${cloud.ref}/functions/v1/${name}`
  const answer = await fetch(url, { ...init, headers: { apikey: publicKey } })
  return answer.text()
}

check('types, enums, decorators and parameter properties become what runs', async () => {
  const code = `
    import type { SupabaseClient } from 'jsr:@supabase/supabase-js@2'
    import { z } from 'npm:zod@4'
    enum رنگ { سبز = 'green', Red = 7 }
    const enum Fixed { One = 1 }
    namespace Shapes { export const sides = 4 }
    function twice(_: unknown, context: ClassMethodDecoratorContext) {
      return function (this: unknown) { return String(context.name).repeat(2) }
    }
    abstract class Base<T> { constructor(protected readonly value: T) {} }
    class Greeter extends Base<string> {
      declare client: SupabaseClient
      @twice hello(): string { return this.value }
      get own(): string { return this.value! }
    }
    const schema = z.object({ name: z.string() }) satisfies z.ZodType
    export default {
      async fetch(request: Request): Promise<Response> {
        const greeter = new Greeter('سلام')
        const { name } = schema.parse({ name: <string>'a' })
        return Response.json([رنگ.سبز, رنگ[7], Fixed.One, Shapes.sides, greeter.hello(), greeter.own, name as unknown])
      },
    }`
  expect(JSON.parse(await answerOf('typed', code))).toEqual([
    ...['green', 'Red', 1, 4, 'hellohello', 'سلام', 'a'],
  ])
})

check(
  'a typed client is deployed as it is written: what is imported for its types alone is free',
  async () => {
    const code = `
    import { createClient } from 'https://esm.sh/@supabase/supabase-js@2'
    import { z } from 'npm:zod'
    import { Database } from './database.types.ts'
    type Shape = z.infer<never>
    Deno.serve(async () => {
      const client = createClient<Database>(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_ANON_KEY')!)
      const { error } = await client.from('nothing').select()
      return new Response(error?.code as Shape)
    })`
    expect(await answerOf('typed_client', code)).toBe('PGRST205')
  },
)

check('what does not compile is refused with line and column', async () => {
  const refused = async (code: string) => {
    const { status, body } = await send('refused', code)
    return [status, body.error.code, body.error.details]
  }
  expect(await refused('const a: string = 1\nconst گل: = 2')).toEqual([
    400,
    'FUNCTION_CODE_INVALID',
    { line: 2, column: 11 },
  ])
  expect(await refused('enum A { b = }')).toEqual([400, 'FUNCTION_CODE_INVALID', { line: 1, column: 14 }])
  for (const specifier of [
    '/etc/passwd',
    './other.ts',
    'https://deno.land/x/a.ts',
    'npm:lodash',
    'file:///etc/passwd',
  ])
    expect(
      await refused(
        `import x from '${specifier}'\nexport default { fetch: () => new Response(x as string) }`,
      ),
    ).toEqual([400, 'FUNCTION_CODE_INVALID', { line: 1, column: 15 }])
})

check(
  'a function reads and writes the database by supabase-js with the service key, as Deno.serve',
  async () => {
    await cloud.write(`create table visits (id int generated always as identity primary key, who text not null);
    alter table visits enable row level security`)
    const service = await cloud.client.post(`/v1/cloud/${cloud.id}/keys`, { kind: 'service' })
    const secret = { name: 'SUPABASE_SERVICE_ROLE_KEY', value: service.body.secret }
    expect((await cloud.client.post(`/v1/cloud/${cloud.id}/secrets`, secret)).status).toBe(201)
    const code = `
    import { createClient } from 'jsr:@supabase/supabase-js@2'
    type Visit = { id: number; who: string }
    const client = (key: string) => createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get(key)!)
    Deno.serve(async (request: Request) => {
      const inserted = await client('SUPABASE_SERVICE_ROLE_KEY').from('visits').insert({ who: 'زهرا' }).select().single<Visit>()
      const seen = await client('SUPABASE_ANON_KEY').from('visits').select()
      return Response.json({ inserted: inserted.data ?? inserted.error, seen: seen.data ?? seen.error })
    })`
    expect(JSON.parse(await answerOf('visit', code))).toEqual({ inserted: { id: 1, who: 'زهرا' }, seen: [] })
    expect((await cloud.read('select who from visits')).body.rows).toEqual([['زهرا']])
  },
)

check(
  'calls have more room than on Starter: 32 at once, bodies of 6 MB, 100 requests of their own',
  async () => {
    const code = `
    let running = 0, most = 0
    Deno.serve(async (request: Request) => {
      if (request.method === 'POST') return new Response(String((await request.arrayBuffer()).byteLength))
      running++
      most = Math.max(most, running)
      const until = Date.now() + 25_000
      while (most < 32 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 10))
      running--
      return new Response(String(most))
    })`
    expect(await answerOf('room', code, { method: 'POST', body: new Uint8Array(6_000_000) })).toBe('6000000')
    const url = `${world.appsUrl}/_cloud/${cloud.ref}/functions/v1/room`
    const get = () => fetch(url, { headers: { apikey: publicKey } }).then((answer) => answer.text())
    expect(await Promise.all(Array.from({ length: 32 }, get))).toEqual(Array.from({ length: 32 }, () => '32'))
    const fetching = `
    export default async () => {
      let answered = 0
      for (let at = 0; at < 101; at++) {
        const answer = await fetch(Deno.env.get('SUPABASE_URL') + '/rest/v1/', { headers: { apikey: 'none' } })
        if (answer.headers.get('x-kherad-refusal') === 'FUNCTION_FETCH_LIMIT') break
        answered++
      }
      return new Response(String(answered))
    }`
    expect(await answerOf('fetching', fetching)).toBe('100')
  },
)
