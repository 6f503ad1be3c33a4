/** Builds the OpenAPI 3.1.0 document from the routes. Nothing is written twice: every word comes from the route values. */

import type { TSchema } from 'typebox'
import { declarationOf } from '#platform/errors'
import { impliedErrors, isOfPeople, type KeySource, type Route, takesSessions } from '#platform/http'
import { release } from '#platform/release'
import { nameOfSchema } from '#platform/schema'
import { persian } from '#platform/words'

/** The version of the contract that the routes implement. */
export const contractVersion = '1.6.0'

type Json = Record<string, unknown>

export function openApiOf(routes: readonly Route[], baseUrl: string): Json {
  const paths: Record<string, Json> = {}
  const schemas: Json = { Error: errorSchema }
  for (const route of routes) {
    const method = route.method.toLowerCase()
    const path = paths[route.path]?.[method] ? uniquePath(route) : route.path
    paths[path] ??= {}
    paths[path]![method] = withReferences(operationOf(route), schemas)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Kherad (خرد)',
      version: contractVersion,
      'x-kherad-release': release,
      description:
        'A self-hosted, Persian-first AI platform: one server, one credit balance, every capability behind one HTTP API.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set(routes.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'A project key: khr_…' },
        managementKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'A management key, which acts for an account by its permissions: khm_…',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-kherad-443-00000000',
          description:
            'The session of a person, for pages of this server. The name has its port and the beginning of its id; on http there is no `__Host-`.',
        },
        ...Object.fromEntries(routes.flatMap(({ keySources = [] }) => keySources.map(schemeOf))),
      },
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  }
}

/**
 * A document has each path once, but two hosts may have the same method and path (such as `/`). The first route is under the
 * path itself, each further one under `<path>#<operation>`. Clients never send a fragment, so generated clients call the right address. One document
 * for each host would have to be found, and tools ignore an extension (`x-…`).
 */
const uniquePath = ({ path, operation }: Route): string => `${path}#${operation}`

const schemeOf = ({ scheme, header, description }: KeySource): [string, Json] => [
  scheme,
  { type: 'apiKey', in: 'header', name: header, description },
]

/** Moves each named schema (`nameSchemas`) to `schemas` and replaces it by a reference. */
function withReferences(value: unknown, schemas: Json): unknown {
  if (Array.isArray(value)) return value.map((item) => withReferences(item, schemas))
  if (typeof value !== 'object' || value === null) return value
  const inside = () =>
    Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withReferences(member, schemas)]))
  const name = nameOfSchema(value)
  if (name === undefined) return inside()
  schemas[name] ??= inside()
  return { $ref: `#/components/schemas/${name}` }
}

/** Every error code that a route may answer. */
export const codesOf = (route: Route): string[] => [
  ...new Set([...route.errors, ...impliedErrors(route), 'INTERNAL', 'SERVICE_UNAVAILABLE', 'STORAGE_FULL']),
]

/** The header that routes with `idempotent` accept. */
export const idempotencyKey = {
  type: 'string',
  minLength: 1,
  maxLength: 128,
  description: 'The same key and body are run once; a repeat within 24 hours gets the first answer.',
  'x-description-fa':
    'با همین کلید و همین بدنه فقط یک بار اجرا می‌شود؛ تکرار تا ۲۴ ساعت همان پاسخ نخست را می‌گیرد.',
} as const

/** The header by which sessions name their project. */
const projectHeader = {
  type: 'string',
  format: 'uuid',
  description:
    'The project of a request with a session or a management key; may be left out where there is one project, and by a management key on routes of the account. What an element of a page loads (GET) names it by `?project=`. Project keys ignore it.',
  'x-description-fa':
    'پروژهٔ درخواستی که با نشست یا کلید مدیریتی فرستاده می‌شود؛ با یک پروژه، و با کلید مدیریتی در مسیرهای حساب، می‌توان آن را نفرستاد. آنچه عنصری از صفحه می‌خواند (GET) آن را با ‎`?project=`‎ نام می‌برد. کلیدهای پروژه به آن توجه نمی‌کنند.',
} as const

const tagOf = (route: Route): string => route.operation.split('.')[0]!

function operationOf(route: Route): Json {
  return {
    operationId: route.operation,
    tags: [tagOf(route)],
    summary: route.summary.en,
    'x-summary-fa': route.summary.fa,
    security: securityOf(route),
    ...(route.scope !== 'public' &&
      route.scope !== 'any' && { [isOfPeople(route) ? 'x-permission' : 'x-scope']: route.scope }),
    ...(route.stepUp && { 'x-step-up': true }),
    ...(route.managementKeys && { 'x-management-keys': route.managementKeys }),
    ...(route.orScope && { 'x-or-scope': route.orScope }),
    ...(route.credentials && { 'x-credentials': route.credentials }),
    ...(route.host !== undefined && { servers: [serverOf(route.host)] }),
    parameters: parametersOf(route),
    ...((route.body || route.upload) && {
      requestBody: { required: !route.bodyMayBeAbsent, content: contentOf(route) },
    }),
    responses: {
      ...repliesOf(route),
      ...(route.socket && { 101: { description: 'Switching Protocols: a WebSocket is open.' } }),
      ...failuresOf(codesOf(route)),
      // Generated clients use it for errors whose status they do not know.
      default: { description: 'Any other failure.', content: errorContent },
    },
  }
}

/** The names of a host's labels that the caller chooses: they are variables of its server, not parameters of the path. */
const labelsOf = (host = ''): string[] => [...host.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name!)

const serverOf = (host: string): Json => {
  const names = labelsOf(host)
  return {
    url: `https://${host}`,
    ...(names.length > 0 && {
      variables: Object.fromEntries(names.map((name) => [name, { default: name }])),
    }),
  }
}

const contentOf = (route: Route): Json => ({
  ...(route.body && { 'application/json': { schema: bodyOf(route) } }),
  ...(route.textBody && contentOfTypes(route.textBody.mediaType)),
  ...(route.upload && {
    'multipart/form-data': { schema: formOf(route.upload), ...encodingOf(route.upload) },
  }),
})

/** The members of an object are fields of their own, such as `expires_after[seconds]`: https://spec.openapis.org/oas/v3.1.0#encoding-object */
function encodingOf({ fields }: NonNullable<Route['upload']>): Json {
  const { properties = {} } = fields as { properties?: Record<string, { type?: unknown }> }
  const objects = Object.keys(properties).filter((name) => properties[name]!.type === 'object')
  if (objects.length === 0) return {}
  return {
    encoding: Object.fromEntries(objects.map((name) => [name, { style: 'deepObject', explode: true }])),
  }
}

/** The schema of a form: https://spec.openapis.org/oas/v3.1.0#considerations-for-file-uploads */
export function formOf({ fields, files, maxBytes, isOptional }: NonNullable<Route['upload']>): TSchema {
  const {
    properties = {},
    required = [],
    ...rest
  } = fields as Json & { properties?: Json; required?: string[] }
  const limit =
    typeof maxBytes === 'number'
      ? { en: `at most ${maxBytes} bytes`, fa: `حداکثر ${persian(maxBytes)} بایت` }
      : { en: 'as large as the operator allows', fa: 'تا اندازه‌ای که گرداننده اجازه می‌دهد' }
  const part = {
    type: 'string',
    contentMediaType: 'application/octet-stream',
    description: `A file; all files together ${limit.en}.`,
    'x-description-fa': `یک فایل؛ همهٔ فایل‌ها روی هم ${limit.fa}.`,
  }
  const parts = Object.entries(files).map(([name, maxCount]) => [
    name,
    maxCount === 1 ? part : { type: 'array', minItems: 1, maxItems: maxCount, items: part },
  ])
  return {
    ...rest,
    type: 'object',
    properties: { ...Object.fromEntries(parts), ...properties },
    required: [...(isOptional ? [] : [Object.keys(files)[0]!]), ...required],
  } as TSchema
}

const bodyOf = ({ body, otherBody }: Route): TSchema | { anyOf: unknown[] } =>
  otherBody ? { anyOf: [body, otherBody] } : body!

function securityOf(route: Route): Json[] {
  if (route.scope === 'public') return []
  const session = takesSessions(route) ? [{ session: [] }] : []
  const management = route.managementKeys ? [{ managementKey: [] }] : []
  if (isOfPeople(route)) return [...session, ...management]
  const sources = (route.keySources ?? []).map(({ scheme }) => ({ [scheme]: [] }))
  return [{ key: [] }, ...sources, ...session, ...management]
}

function parametersOf(route: Route): Json[] {
  return [
    ...parametersIn('path', route.params).filter(({ name }) => !labelsOf(route.host).includes(String(name))),
    ...parametersIn('query', route.query),
    ...Object.entries({
      ...(route.idempotent && { 'Idempotency-Key': idempotencyKey }),
      ...(takesSessions(route) && route.scope !== 'person' && { 'X-Kherad-Project': projectHeader }),
      ...route.headers,
    }).map(([name, schema]) => ({
      name,
      in: 'header',
      required: route.requiredHeaders?.includes(name) ?? false,
      schema,
    })),
  ]
}

function parametersIn(place: 'path' | 'query', schema: TSchema | undefined): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, TSchema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }))
}

function repliesOf(route: Route): Json {
  return Object.fromEntries(
    Object.entries(repliesWithParts(route)).map(([status, schema]) => [
      status,
      {
        description: 'Success.',
        headers: {
          'X-Request-ID': {
            description: 'Id of the request; names its receipt.',
            schema: { type: 'string', format: 'uuid' },
          },
        },
        content: {
          ...(typeof schema === 'string' ? contentOfTypes(schema) : { 'application/json': { schema } }),
          ...(typeof schema === 'string' &&
            status === '200' &&
            route.jsonReply !== undefined && { 'application/json': { schema: route.jsonReply } }),
          ...(route.otherTypes !== undefined && contentOfTypes(route.otherTypes)),
          ...(route.streams && {
            'text/event-stream': {
              schema: { type: 'string', description: 'Server-sent events, when `stream` is true.' },
            },
          }),
        },
      },
    ]),
  )
}

/** The replies of a route, with 206 if it has ranges: answers of a byte range have the same media type as the full answer. */
export const repliesWithParts = ({ reply, ranges }: Route): Route['reply'] =>
  ranges && reply[200] !== undefined ? { ...reply, 206: reply[200] } : reply

/** The content of media types other than JSON, separated by commas: text types as text, all others as bytes. */
const contentOfTypes = (types: string): Json =>
  Object.fromEntries(
    types
      .split(', ')
      .map((type) => [
        type,
        { schema: type.startsWith('text/') ? { type: 'string' } : { type: 'string', format: 'binary' } },
      ]),
  )

/** Error answers grouped by status, with the codes that each may carry. */
function failuresOf(codes: string[]): Json {
  const byStatus = Object.groupBy(codes, (code) => String(declarationOf(code).status))
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, list = []]) => [
      status,
      {
        description: list.sort().join(', '),
        content: errorContent,
      },
    ]),
  )
}

const errorContent = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }

const errorSchema = {
  type: 'object',
  required: ['type', 'request_id', 'error'],
  properties: {
    type: { const: 'error' },
    request_id: { type: 'string', format: 'uuid' },
    error: {
      type: 'object',
      required: ['type', 'code', 'message', 'request_id'],
      properties: {
        type: { type: 'string' },
        code: { type: 'string', description: 'Stable; SCREAMING_SNAKE_CASE.' },
        message: {
          type: 'string',
          description: 'In Persian when Accept-Language prefers it, else in English.',
        },
        param: { type: 'string', description: 'Path of the invalid field, when known.' },
        execution_started: {
          const: false,
          description: 'Present when the request was refused before anything ran or was charged.',
        },
        receipt_id: { type: 'string', format: 'uuid' },
        details: { type: 'object', description: 'What clients of a wire read beside the code.' },
        request_id: { type: 'string', format: 'uuid' },
      },
    },
  },
}
