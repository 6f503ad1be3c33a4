/** What functions import: types, which are nothing at run time, modules of Node, and all else refused by its name. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openFunctionCompiler } from '#cloud/functions'
import { sharedWorld } from '../../harness/shared-world.ts'
import type { TestCloud, World } from '../../harness/world.ts'
import { deploy, textOf } from './scene.ts'

let world: World
let cloud: TestCloud
beforeAll(async () => {
  world = await sharedWorld()
  cloud = await world.newCloud()
})
afterAll(() => world[Symbol.asyncDispose]())

/** As code of a dedicated cloud. */
async function compiled(code: string) {
  const { log, config } = world.app
  const compiler = openFunctionCompiler({ log, dataDir: config.dataDir, packages: [] })
  const from = { accountId: world.account, signal: new AbortController().signal }
  return compiler.compile({ code, isTypeScript: true }, from)
}

test('types are free, wherever they are imported from and however', async () => {
  const code = `
    import 'jsr:@supabase/functions-js/edge-runtime.d.ts'
    import { createClient, type SupabaseClient } from 'npm:@supabase/supabase-js@2'
    import { Database } from './database.types.ts'
    import { z } from 'npm:zod'
    import Stripe from 'https://esm.sh/stripe@17?target=deno'
    import * as all from 'npm:lodash'
    import type { Context } from 'jsr:@oak/oak'
    import { type Row, type Column } from '../_shared/rows.ts'
    export type { Database } from './database.types.ts'
    export type * from '../_shared/more.ts'
    type Bill = Stripe.Invoice & z.infer<typeof all.schema> & import('./elsewhere.ts').Bill
    const client: SupabaseClient<Database> = createClient<Database>('https://a.example', 'key')
    export const rows: (Row | Column | Context | Bill)[] = []
    Deno.serve(() => new Response(typeof client.from))`
  const { bundle, packages } = await compiled(code)
  expect(packages).toEqual([{ name: '@supabase/supabase-js', version: expect.any(String), requested: '2' }])
  expect(bundle).not.toMatch(/database\.types|lodash|stripe|oak|_shared|elsewhere/)
})

test.each([
  [
    "import { Database } from './database.types.ts'\nDatabase()",
    './database.types.ts',
    { line: 1, column: 26 },
  ],
  ["import { spawn } from 'node:child_process'\nspawn()", 'node:child_process', { line: 1, column: 23 }],
])('a value of what is not there is refused by its name: %s', async (code, name, place) => {
  const refusal = await compiled(`${code}\nDeno.serve(() => new Response())`).catch((error: unknown) => error)
  expect(refusal).toMatchObject({
    code: 'FUNCTION_CODE_INVALID',
    detail: { why: { en: expect.stringContaining(`"${name}"`), fa: expect.stringContaining(`«${name}»`) } },
    more: { details: place },
  })
})

test('modules of Node work as far as the runtime has them, also without their prefix', async () => {
  await deploy(
    cloud,
    'node',
    `import { createHash, randomUUID } from 'node:crypto'
    import { Buffer } from 'buffer'
    import { EventEmitter } from 'node:events'
    import { writeFile, readFile } from 'node:fs/promises'
    import path from 'path'
    import { pipeline } from 'node:stream/promises'
    import { Readable } from 'node:stream'
    import { gunzipSync, gzipSync } from 'node:zlib'
    import { AsyncLocalStorage } from 'node:async_hooks'
    import { format } from 'node:util'
    import { isIP } from 'node:net'
    import process from 'node:process'
    export default async () => {
      const heard = []
      new EventEmitter().on('said', (word) => heard.push(word)).emit('said', 'شنید')
      await writeFile('/tmp/a.txt', 'سلام')
      const chunks = []
      await pipeline(Readable.from(['a', 'b']), async (source) => { for await (const one of source) chunks.push(String(one)) })
      return Response.json([
        createHash('sha256').update('a').digest('hex').slice(0, 8), randomUUID().length,
        Buffer.from('سلام').toString('base64'), heard, await readFile('/tmp/a.txt', 'utf8'), path.join('a', '..', 'b'), chunks,
        gunzipSync(gzipSync('فشرده')).toString(), new AsyncLocalStorage().run(1, () => 2), format('%s-%d', 'x', 3), isIP('::1'),
        process.env.SUPABASE_ANON_KEY === Deno.env.get('SUPABASE_ANON_KEY'),
      ])
    }`,
  )
  expect(JSON.parse(await textOf(cloud, 'node'))).toEqual([
    ...['ca978112', 36, '2LPZhNin2YU=', ['شنید'], 'سلام', 'b', ['a', 'b'], 'فشرده', 2, 'x-3', 6, true],
  ])
})
