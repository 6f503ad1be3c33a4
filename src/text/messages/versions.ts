/** The two versions of the wire, and the betas beside them. */
import { fail } from '#platform/errors'
import type { RequestContext } from '#platform/http'
import { reasons } from './phrases.ts'
import type { MessagesBody } from './request/schema.ts'

const versions = ['2023-06-01', '2026-10-21'] as const

export interface Dialect {
  version: (typeof versions)[number]
  /** The values of `anthropic-beta`. Most have no meaning here, but an upstream of this wire may know them. */
  betas: string[]
}

const maxBetas = 50

/** Reads version and betas from the headers. Throws INVALID_REQUEST for a version that is missing or unknown. */
export function dialectOf({ headers }: Pick<RequestContext<unknown>, 'headers'>): Dialect {
  const version = versions.find((known) => known === headers['anthropic-version'])
  if (!version) fail('INVALID_REQUEST', { why: reasons.version(versions) }, { param: 'anthropic-version' })
  const sent = [headers['anthropic-beta'] ?? []].flat().join(',')
  const betas = sent.split(',').map((beta) => beta.trim())
  return { version, betas: betas.filter((beta) => /^[\w.-]{1,100}$/.test(beta)).slice(0, maxBetas) }
}

/** The version under which a stored request was accepted. */
export const versionOf = (text: string): Dialect['version'] =>
  versions.find((known) => known === text) ?? versions[0]

/** Throws INVALID_REQUEST for what the newer version has removed: sampling, documents of the assistant, citations of the user. */
export function requireVersion(body: MessagesBody, { version }: Dialect): void {
  if (version === '2023-06-01') return
  const refuse = (param: string): never =>
    fail('INVALID_REQUEST', { why: reasons.notInVersion(param, version) }, { param })
  for (const field of ['temperature', 'top_p', 'top_k'] as const) if (field in body) refuse(field)
  for (const [index, { role, content }] of body.messages.entries()) {
    if (typeof content === 'string') continue
    for (const [place, block] of content.entries()) {
      const param = `messages.${index}.content.${place}`
      if (role === 'assistant' && block.type === 'document') refuse(param)
      if (role === 'user' && block.type === 'text' && block.citations?.length) refuse(`${param}.citations`)
    }
  }
}
