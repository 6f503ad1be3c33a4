import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { declarationOf } from '#platform/errors'
import { isOfPeople } from '#platform/http'
import { routes } from '../../src/capabilities.ts'
import { sharedWorld } from '../harness/shared-world.ts'

interface Operation {
  operationId: string
  parameters: { name: string; in: string; required: boolean; schema: object }[]
  requestBody?: { content: Record<string, { schema: object }> }
  responses: Record<string, { description: string; content: Record<string, { schema: object }> }>
  security: object[]
  'x-scope'?: string
  'x-permission'?: string
  'x-or-scope'?: string
}
interface Document {
  openapi: string
  info: { version: string }
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object> }
}

let document: Document
let baseUrl: string
beforeAll(async () => {
  await using world = await sharedWorld()
  const reply = await fetch(`${world.url}/openapi.json`)
  expect(reply.status).toBe(200)
  expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8')
  document = (await reply.json()) as Document
  baseUrl = world.app.config.baseUrl
})

const operationOf = (route: { method: string; path: string }): Operation | undefined =>
  document.paths[route.path]?.[route.method.toLowerCase()]

test('the document is OpenAPI 3.1.0 of contract version 1.6.0 and valid under a public validator', async () => {
  expect(document.openapi).toBe('3.1.0')
  expect(document.info.version).toBe('1.6.0')
  expect(document.servers).toEqual([{ url: baseUrl }])
  const { valid, errors } = await new Validator().validate(
    structuredClone(document) as unknown as Record<string, unknown>,
  )
  expect(errors ?? []).toEqual([])
  expect(valid).toBe(true)
})

test('every route is in it once, and nothing else', () => {
  const written = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(written.toSorted()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).toSorted())
  const ids = Object.values(document.paths).flatMap((operations) =>
    Object.values(operations).map((operation) => operation.operationId),
  )
  expect(new Set(ids).size).toBe(ids.length)
})

describe.each(routes)('$method $path', (route) => {
  test('names every error that it declares, at its status', () => {
    const responses = operationOf(route)?.responses ?? {}
    for (const code of [
      ...route.errors,
      'INTERNAL',
      'SERVICE_UNAVAILABLE',
      ...(route.scope === 'public' ? [] : ['INVALID_API_KEY']),
      ...(isOfPeople(route) ? ['SESSION_REQUIRED'] : []),
      ...(route.scope === 'public' || route.scope === 'any' || isOfPeople(route)
        ? []
        : ['INSUFFICIENT_SCOPE']),
    ]) {
      expect(responses[declarationOf(code).status]?.description.split(', '), code).toContain(code)
    }
    for (const status of Object.keys(route.reply)) expect(responses[status]).toBeDefined()
  })

  test('reports its scope, its parameters and its headers', () => {
    const operation = operationOf(route)
    const isOfKeys = route.scope !== 'public' && route.scope !== 'any' && !isOfPeople(route)
    expect(operation?.['x-scope']).toBe(isOfKeys ? route.scope : undefined)
    expect(operation?.['x-permission']).toBe(isOfPeople(route) ? route.scope : undefined)
    expect(operation?.['x-or-scope']).toBe(route.orScope)
    expect(operation?.security.length === 0).toBe(route.scope === 'public')
    const inPath = operation?.parameters
      .filter((parameter) => parameter.in === 'path')
      .map(({ name, required }) => ({ name, required }))
    expect(inPath).toEqual(
      [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, required: true })),
    )
    const named = operation?.parameters.map(({ name }) => name) ?? []
    expect(named.includes('Idempotency-Key')).toBe(route.idempotent === true)
    for (const name of Object.keys(route.headers ?? {})) expect(named).toContain(name)
  })
})

test('what has a default may be left out, and the version of the messages wire may not', () => {
  const parameters = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.values(operations).flatMap((operation) =>
      operation.parameters.map((parameter) => ({ path, ...parameter })),
    ),
  )
  const filled = parameters.filter(({ schema }) => 'default' in schema)
  expect(filled.length).toBeGreaterThan(5)
  expect(filled.filter(({ required }) => required)).toEqual([])
  const versions = parameters.filter(({ name }) => name === 'anthropic-version')
  expect(versions.map(({ path, required }) => [path, required])).toEqual([
    ['/v1/messages', true],
    ['/v1/messages/batches', true],
  ])
})

test('all JSON Schemas in it compile', () => {
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    discriminator: true,
    code: { optimize: false },
  })
  ajv.addSchema({ $id: 'https://kherad.test/openapi.json', components: document.components })
  const schemas = Object.values(document.paths).flatMap((operations) =>
    Object.values(operations).flatMap(({ parameters, requestBody, responses }) => [
      ...parameters.map(({ schema }) => schema),
      ...[requestBody, ...Object.values(responses)].flatMap((part) =>
        Object.values(part?.content ?? {}).map(({ schema }) => schema),
      ),
    ]),
  )
  expect(schemas.length).toBeGreaterThan(routes.length)
  for (const [index, schema] of schemas.entries()) {
    const resolved = JSON.parse(
      JSON.stringify(schema).replaceAll('"#/components', '"https://kherad.test/openapi.json#/components'),
    )
    expect(
      () => ajv.compile({ $id: `https://kherad.test/${index}`, ...resolved }),
      JSON.stringify(schema).slice(0, 200),
    ).not.toThrow()
  }
})

test('the error schema fits the errors that are sent', async () => {
  await using world = await sharedWorld()
  const check = new Ajv2020({ strict: false, validateFormats: false }).compile(
    document.components.schemas['Error'] as object,
  )
  const key = await world.key()
  for (const reply of [
    await key.chat({ n: 2 }),
    await key.get('/nothing'),
    await key.get('/v1/balance', { authorization: 'x' }),
  ]) {
    expect(check(reply.body), JSON.stringify([reply.body, check.errors])).toBe(true)
  }
})

/** With every reference to a component replaced by what it refers to. */
function dereferenced(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dereferenced)
  if (typeof value !== 'object' || value === null) return value
  const { $ref } = value as { $ref?: string }
  if ($ref !== undefined) return dereferenced(document.components.schemas[$ref.split('/').at(-1)!])
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, dereferenced(member)]))
}

test('schemas have names, and say dereferenced what the routes declare', () => {
  const named = Object.keys(document.components.schemas)
  for (const name of [
    'Agent',
    'Run',
    'Receipt',
    'Error',
    'Balance',
    'ChatCompletion',
    'Response',
    'Message',
    'Batch',
  ])
    expect(named).toContain(name)
  expect(named.length).toBeGreaterThan(50)
  const text = JSON.stringify(document)
  for (const name of named) expect(text, name).toContain(`"#/components/schemas/${name}"`)
  const plain = (value: unknown) => JSON.parse(JSON.stringify(value))
  for (const route of routes) {
    const operation = operationOf(route)!
    if (route.body && !route.otherBody)
      expect(dereferenced(operation.requestBody?.content['application/json']?.schema), route.path).toEqual(
        plain(route.body),
      )
    for (const [status, schema] of Object.entries(route.reply))
      if (typeof schema !== 'string')
        expect(dereferenced(operation.responses[status]?.content['application/json']?.schema)).toEqual(
          plain(schema),
        )
  }
  const reply = document.paths['/v1/agents/{id}']?.['get']?.responses['200']?.content['application/json']
  expect(reply?.schema).toEqual({ $ref: '#/components/schemas/Agent' })
})

test('every operation says what any other failure looks like', () => {
  for (const route of routes)
    expect(operationOf(route)?.responses['default']?.content['application/json']?.schema, route.path).toEqual(
      {
        $ref: '#/components/schemas/Error',
      },
    )
})

test.each([
  ['get', '/v1/files/{id}', ['image/png', 'audio/mpeg', 'text/csv']],
  ['get', '/v1/work/{id}/files', ['application/pdf', 'text/markdown', 'application/zip', 'text/csv']],
  ['get', '/v1/work/{id}/events', ['text/event-stream']],
  ['post', '/v1/chat/completions', ['application/json', 'text/event-stream']],
  ['get', '/metrics', ['text/plain']],
  ['get', '/docs', ['text/html']],
  ['get', '/voice/{file}', ['text/css', 'text/javascript']],
  ['get', '/v1/messages/batches/{batch_id}/results', ['application/x-jsonl']],
])('%s %s names the media types that it answers', (method, path, types) => {
  const content = document.paths[path]?.[method]?.responses['200']?.content ?? {}
  expect(Object.keys(content)).toEqual(expect.arrayContaining(types))
  for (const [type, { schema }] of Object.entries(content)) {
    expect(type).toMatch(/^[a-z]+\/[a-z0-9.+-]+$/)
    if (/^(image|audio)\/|pdf|zip|octet/.test(type)) expect(schema).toMatchObject({ format: 'binary' })
  }
})
