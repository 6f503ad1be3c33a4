import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { CloudProgram } from '../functions.ts'

/** Fixes the behaviour of the runtime that functions find; a later date may change what they see. */
const compatibilityDate = '2026-10-01'

const codeOf = (name: string): string => readFileSync(path.join(import.meta.dirname, 'worker', name), 'utf8')

type ModuleText = readonly [name: string, code: string]

/** The modules of the wrapper, read once. */
let wrapper: readonly ModuleText[] | undefined

export const socketName = (index: number): string => `f${index}`

/**
 * The configuration of workerd for one cloud, as text of Cap'n Proto: a worker for each function, each on a socket of its own, whose every request
 * leaves by the socket of the broker. Secrets stand in it, so it is written nowhere but into the jail.
 */
export function workerConfig(
  { functions, bindings }: CloudProgram,
  {
    egressAddress,
    protocolHeader,
    heapMb,
  }: { egressAddress: string; protocolHeader: string; heapMb: number },
): string {
  wrapper ??= ['wrapper.mjs', 'guard.mjs', 'background.mjs'].map((name) => [name, codeOf(name)])
  const environment = Object.entries(bindings)
    .map(([name, value]) => `(name = ${quoted(name)}, text = ${quoted(value)})`)
    .join(', ')
  const ownModules = wrapper
  const modules = (functionName: string, bundle: string): string => {
    const all: ModuleText[] = [
      ...ownModules,
      ['function.js', bundle],
      ['name.mjs', `export default ${JSON.stringify(functionName)}`],
    ]
    return all.map(([name, code]) => `(name = "${name}", esModule = ${quoted(code)})`).join(', ')
  }
  const services = functions.map(
    ({ name, bundle }, index) =>
      `(name = "${socketName(index)}", worker = (modules = [${modules(name, bundle)}], compatibilityDate = "${compatibilityDate}", bindings = [${environment}], globalOutbound = "egress"))`,
  )
  const sockets = functions.map(
    (_, index) =>
      `(name = "${socketName(index)}", http = (style = host, forwardedProtoHeader = "${protocolHeader}"), service = "${socketName(index)}")`,
  )
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    ${services.join(',\n    ')},
    (name = "egress", external = (address = ${quoted(`unix:${egressAddress}`)}, http = (style = host, forwardedProtoHeader = "${protocolHeader}"))),
    (name = "internet", network = (allow = []))
  ],
  sockets = [${sockets.join(', ')}],
  v8Flags = ["--max-heap-size=${heapMb}"]
);
`
}

const special: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

/** A text as a literal of Cap'n Proto, which knows no \u. */
function quoted(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to be escaped.
  const escaped = text.toWellFormed().replace(/["\\\u0000-\u001f\u007f]/g, escapeOf)
  return `"${escaped}"`
}

const escapeOf = (character: string): string =>
  special[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
