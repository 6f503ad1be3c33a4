/** Templates of requests to a gateway: values whose texts have placeholders for the number, the code and named parameters. */
import type { JsonValue } from '#platform/config'

/** What fills a template. */
export interface TemplateValues {
  /** The number in E.164: `+989123456789`. */
  to: string
  /** Absent in a message without a code. */
  code?: string | undefined
  params: Readonly<Record<string, string>>
}

const placeholder = /\{([^{}]*)\}/g

/** The number as gateways write it: `09…` as people dial it at home, `98…` and `+98…` with its country. */
function formOf(to: string, form: string): string | undefined {
  const digits = to.slice(1)
  if (form === 'to:+98') return to
  if (form === 'to:98') return digits
  if (form !== 'to:09') return undefined
  return digits.startsWith('98') ? `0${digits.slice(2)}` : `00${digits}`
}

function meaningOf(name: string, { to, code, params }: TemplateValues): string | undefined {
  if (name === 'code') return code
  if (name.startsWith('param:')) return params[name.slice('param:'.length)]
  return formOf(to, name)
}

/** Replaces the placeholders in all texts of a template. One that means nothing stays as it is; settings refuse it at the start. */
export function fillTemplate(template: JsonValue, values: TemplateValues): JsonValue {
  if (typeof template === 'string')
    return template.replace(placeholder, (text, name: string) => meaningOf(name, values) ?? text)
  if (Array.isArray(template)) return template.map((item) => fillTemplate(item, values))
  if (typeof template !== 'object' || template === null) return template
  return Object.fromEntries(
    Object.entries(template).map(([name, value]) => [name, fillTemplate(value, values)]),
  )
}

/** The names in all placeholders of a template: `to:09`, `code`, `param:line`. */
export function placeholdersIn(template: JsonValue): string[] {
  if (typeof template === 'string') return [...template.matchAll(placeholder)].map(([, name]) => name!)
  if (typeof template !== 'object' || template === null) return []
  return Object.values(template).flatMap((value) => placeholdersIn(value))
}
