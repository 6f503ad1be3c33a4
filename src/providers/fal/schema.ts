/**
 * The fields that a model of fal takes. Every app has an input of its own, which it publishes without a key: fal.ai/api/openapi/queue/openapi.json.
 * The schema belongs to strangers: it is bounded, read leniently, and gives only names and choices.
 */

import { UpstreamError } from '#core/spec'
import { FetchRefused, type GuardedClient } from '#platform/net'
import type { Egress } from '#platform/proxy'
import { isRecord } from '#providers/kit'

/** A field of an input: the values that it can have, where they are listed, and its types. */
export interface InputField {
  choices: readonly unknown[] | undefined
  types: readonly string[]
}

/** The fields by name. */
export type InputFields = ReadonlyMap<string, InputField>

const maxBytes = 2 * 1024 * 1024
const timeoutMs = 10_000
const maxFields = 200
/** The most models whose fields are kept. */
const maxModels = 100

export interface SchemaLinks {
  net: GuardedClient
  egress?: ((url: URL) => Egress) | undefined
  /** The address that answers `?endpoint_id=owner/app`. */
  address: string
}

/** The fields of models, each read once. */
export class Schemas {
  readonly #links: SchemaLinks
  readonly #kept = new Map<string, InputFields>()

  constructor(links: SchemaLinks) {
    this.#links = links
  }

  /** The fields of a model; undefined where it publishes none, or they cannot be read now. Throws `aborted`, with `executed: false`. */
  async fieldsOf(model: string, signal: AbortSignal): Promise<InputFields | undefined> {
    const kept = this.#kept.get(model)
    if (kept) return kept
    const read = await this.#read(model, signal)
    if (read && this.#kept.size < maxModels) this.#kept.set(model, read)
    return read
  }

  async #read(model: string, signal: AbortSignal): Promise<InputFields | undefined> {
    const { net, egress, address } = this.#links
    const url = `${address}?endpoint_id=${encodeURIComponent(model)}`
    try {
      const { status, body } = await net.fetch(url, { timeoutMs, maxBytes, egress, signal })
      return status === 200 ? fieldsIn(JSON.parse(body.toString('utf8')), model) : undefined
    } catch (cause) {
      if (signal.aborted) throw new UpstreamError('aborted', { executed: false, cause })
      if (cause instanceof FetchRefused || cause instanceof SyntaxError) return undefined
      throw cause
    }
  }
}

/** The fields of the input of `POST /owner/app`, which is a schema among the components. */
export function fieldsIn(document: unknown, model: string): InputFields | undefined {
  const body = under(
    document,
    'paths',
    `/${model}`,
    'post',
    'requestBody',
    'content',
    'application/json',
    'schema',
  )
  const name = /^#\/components\/schemas\/([^/]{1,200})$/.exec(String(under(body, '$ref')))?.[1]
  const schema = name === undefined ? body : under(document, 'components', 'schemas', name)
  const properties = under(schema, 'properties')
  if (!isRecord(properties)) return undefined
  const fields = Object.entries(properties).slice(0, maxFields)
  return new Map(fields.map(([field, value]) => [field, fieldOf(value)]))
}

/** One field. Inputs write with `anyOf` that a field may be null. */
function fieldOf(value: unknown): InputField {
  const forms = [value, ...listed(value, 'anyOf')]
  const choices = forms.flatMap((form) => [
    ...listed(form, 'enum'),
    ...('const' in Object(form) ? [under(form, 'const')] : []),
  ])
  const types = forms.map((form) => under(form, 'type')).filter((type) => typeof type === 'string')
  return { choices: choices.length === 0 ? undefined : choices, types }
}

const listed = (value: unknown, key: string): unknown[] => {
  const list = under(value, key)
  return Array.isArray(list) ? list.slice(0, maxFields) : []
}

function under(value: unknown, ...keys: string[]): unknown {
  let at = value
  for (const key of keys) at = isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined
  return at
}
