/** The gateway that sends text messages, as its operator describes it: one request, and how its answer says that the message was taken. */
import { isIP } from 'node:net'
import { Type } from 'typebox'
import { type ConfigNode, fileSection, integerIn, type JsonValue, readingRules } from '#platform/config'
import { isGloballyRoutable } from '#platform/net'
import { sentences } from './setting-phrases.ts'
import { placeholdersIn } from './template.ts'

declare module '#platform/config' {
  interface Settings {
    /** If absent, no text messages are sent. */
    sms: SmsConfig | undefined
  }
}

export interface SmsConfig {
  method: 'GET' | 'POST'
  /** It may hold the key of the gateway. */
  url: string
  /** They may hold the key of the gateway. */
  headers: Readonly<Record<string, string>>
  /** Where the filled template stands: as JSON or as a form in the body, or in the query of the address. */
  kind: 'json' | 'form' | 'query'
  /** The message with a code. */
  template: JsonValue
  /** The message to a number that was changed or removed; if absent, none is sent. */
  changedTemplate: JsonValue | undefined
  /** What `{param:name}` stands for. */
  params: Readonly<Record<string, string>>
  success: {
    status: number
    /** A JSON pointer into the answer; if absent, the status alone decides. */
    pointer: string | undefined
    equals: string | number | boolean | undefined
  }
  timeoutMs: number
  /** Numbers to which messages go begin with one of these: `+98`. */
  prefixes: readonly string[]
  /** The most messages of a day (UTC). */
  dailyMessages: number
}

const headerName = /^[A-Za-z0-9-]{1,64}$/
/** Headers that follow from the address and the body. */
const ownHeaders: ReadonlySet<string> = new Set(['host', 'content-length', 'transfer-encoding', 'connection'])

function checkHeaders(headers: Record<string, string>, node: ConfigNode): void {
  for (const [name, value] of Object.entries(headers))
    if (!headerName.test(name) || ownHeaders.has(name.toLowerCase()) || !/^[\x20-\x7e]{1,4000}$/.test(value))
      (node.find(name) ?? node).refuseSecretValue(sentences.header)
}

/** Plain HTTP would show the key and the codes on the way, so it is for gateways within the own network alone. */
function checkUrl(text: string, node: ConfigNode): void {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? ''
  const isInside = host === 'localhost' || (isIP(host) !== 0 && !isGloballyRoutable(host))
  const isWeb = url?.protocol === 'https:' || (url?.protocol === 'http:' && isInside)
  if (!isWeb || url.username !== '' || url.password !== '' || url.hash !== '')
    node.refuseSecretValue(sentences.url)
}

/** A template or a value of any shape, as JSON. */
const json = (more: { description: string }) =>
  Type.Unsafe<JsonValue>({
    ...more,
    ...readingRules({ expected: sentences.template, convert: (_, node) => node.json() }),
  })

const prefix = Type.String({
  pattern: '^\\+[1-9][0-9]{0,5}$',
  ...readingRules({ expected: sentences.prefix }),
})

const Sms = Type.Object(
  {
    url: Type.String({ ...readingRules({ secret: true, expected: sentences.url, check: checkUrl }) }),
    method: Type.Unsafe<'GET' | 'POST'>({ type: 'string', enum: ['GET', 'POST'], default: 'POST' }),
    headers: Type.Unsafe<Record<string, string>>({
      type: 'object',
      patternProperties: {},
      default: {},
      description: 'Headers of the request, such as the key of the gateway.',
      ...readingRules({ check: checkHeaders }),
    }),
    kind: Type.Unsafe<'json' | 'form' | 'query'>({
      type: 'string',
      enum: ['json', 'form', 'query'],
      default: 'json',
      description: 'Whether the template is sent as JSON, as a form, or in the query of the address.',
    }),
    template: json({
      description:
        'What is sent for a code; texts may hold {to:09}, {to:98}, {to:+98}, {code} and {param:name}.',
    }),
    changed: Type.Optional(
      json({
        description: 'What is sent to a number that was changed or removed; as template, without {code}.',
      }),
    ),
    params: Type.Unsafe<Record<string, string>>({
      type: 'object',
      patternProperties: {},
      default: {},
      description: 'What {param:name} stands for.',
    }),
    success: Type.Object(
      {
        status: integerIn(200, 299, {
          default: 200,
          description: 'The HTTP status of an answer that took the message.',
        }),
        pointer: Type.Optional(
          Type.String({
            pattern: '^(/([^/~]|~[01])*){1,10}$',
            ...readingRules({ expected: sentences.pointer }),
          }),
        ),
        equals: Type.Optional(json({ description: 'What the answer has at the pointer.' })),
      },
      { default: {} },
    ),
    timeout_seconds: integerIn(1, 60, { default: 10 }),
    prefixes: Type.Array(prefix, {
      default: ['+98'],
      minItems: 1,
      uniqueItems: true,
      description: 'Messages go to numbers that begin so, and to no others.',
    }),
    daily_messages: integerIn(1, 10_000_000, {
      default: 500,
      description: 'The most messages of a day (UTC); new numbers get at most half of them.',
    }),
  },
  { required: ['url', 'template'] },
)

export const sms = fileSection({
  name: 'sms',
  schema: Sms,
  read(typed, { at }) {
    // Without the section there is no value.
    if (typed === undefined) return undefined
    const { kind, template, changed, params, success } = typed
    checkTemplate(template, { kind, params, allowed: ['code'], needed: ['code'] }, at('template')!)
    if (changed !== undefined)
      checkTemplate(changed, { kind, params, allowed: [], needed: [] }, at('changed')!)
    const { equals, pointer } = success
    if (
      (pointer === undefined) !== (equals === undefined) ||
      (typeof equals === 'object' && equals !== undefined)
    )
      (at('success') ?? at()!).refuseValue(sentences.success)
    return {
      method: typed.method,
      url: typed.url,
      headers: typed.headers,
      ...{ kind, template, params },
      changedTemplate: changed,
      success: { status: success.status, pointer, equals: equals as SmsConfig['success']['equals'] },
      timeoutMs: typed.timeout_seconds * 1_000,
      prefixes: typed.prefixes,
      dailyMessages: typed.daily_messages,
    }
  },
})

interface TemplateRules {
  kind: SmsConfig['kind']
  params: Readonly<Record<string, string>>
  /** Placeholders beside those of the number and of parameters. */
  allowed: readonly string[]
  needed: readonly string[]
}

/** A template names the number, what it must, and nothing that is not known; that of a form has a flat list of names. */
function checkTemplate(
  template: JsonValue,
  { kind, params, allowed, needed }: TemplateRules,
  node: ConfigNode,
): void {
  const names = placeholdersIn(template)
  const known = [
    ...['to:09', 'to:98', 'to:+98'],
    ...allowed,
    ...Object.keys(params).map((name) => `param:${name}`),
  ]
  const isKnown = names.every((name) => known.includes(name))
  const isWhole = names.some((name) => name.startsWith('to:')) && needed.every((name) => names.includes(name))
  const isMapping = typeof template === 'object' && template !== null && !Array.isArray(template)
  const isFlat = isMapping && Object.values(template).every((value) => typeof value !== 'object')
  if (!isMapping || !isKnown || !isWhole || (kind !== 'json' && !isFlat))
    node.refuseSecretValue(sentences.placeholders(known, kind))
}
