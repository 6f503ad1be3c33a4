/** The request by which a gateway is told to send one message. */
import type { SmsConfig } from './settings.ts'
import { fillTemplate } from './template.ts'

/** A message to one number. */
export interface TextMessage {
  /** The number in E.164. */
  to: string
  /** Absent where the message says that a number was changed or removed. */
  code?: string | undefined
}

/** What is sent to the gateway. Address and headers may hold its key, and body or address the code: neither is logged. */
export interface GatewayRequest {
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body?: string
}

const mediaTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const

/** Returns undefined where the configuration has no template for messages of this kind. */
export function requestOf(config: SmsConfig, { to, code }: TextMessage): GatewayRequest | undefined {
  const template = code === undefined ? config.changedTemplate : config.template
  if (template === undefined) return undefined
  const { method, kind, url, headers, params } = config
  const filled = fillTemplate(template, { to, code, params })
  if (kind === 'json')
    return { method, url, headers: withType(headers, mediaTypes.json), body: JSON.stringify(filled) }
  const fields = new URLSearchParams(
    Object.entries(filled as Record<string, unknown>).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]),
  ).toString()
  if (kind === 'form') return { method, url, headers: withType(headers, mediaTypes.form), body: fields }
  return { method, url: `${url}${url.includes('?') ? '&' : '?'}${fields}`, headers }
}

const withType = (headers: Readonly<Record<string, string>>, type: string): Record<string, string> =>
  Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')
    ? headers
    : { 'content-type': type, ...headers }
