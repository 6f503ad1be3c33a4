import { isDomainRule } from '#core/tools'
import type { BuiltInTool, HostedToolEntry } from '#core/turn'
import { exactly } from '#platform/json'
import type { FunctionTool, SessionSettings } from '../parts.ts'
import { reasons } from '../phrases.ts'
import {
  type EventFields,
  isFields,
  readFields,
  readList,
  readName,
  readOneOf,
  readText,
  refuse,
} from './fields.ts'

const maxTools = 128
const maxDescriptionLength = 4_096

/** The tools that run on this server, by their types, which Responses has too. */
const hostedTypes: Readonly<Record<string, BuiltInTool>> = {
  web_search: 'web_search',
  web_search_2025_08_26: 'web_search',
  web_search_preview: 'web_search',
  web_search_preview_2025_03_11: 'web_search',
  'kherad:web_search': 'web_search',
  'kherad:web_fetch': 'web_fetch',
  'kherad:datetime': 'datetime',
  'kherad:bash': 'bash',
}

/** Whether a call has a tool that runs on this server. */
export type HostedToolCheck = (tool: BuiltInTool) => boolean

export interface ReadTools {
  tools: FunctionTool[]
  hosted: HostedToolEntry[]
}

/** The functions of a list of tools, and the tools that run on this server; any other entry is named in `ignored` by its path. */
export function readTools(
  value: unknown,
  param: string,
  context: { ignored: string[]; hasHosted: HostedToolCheck },
): ReadTools {
  const entries = readList(value, param, maxTools)
  const hosted = new Map<string, HostedToolEntry>()
  for (const [index, entry] of entries.entries()) {
    const path = `${param}.${index}`
    const tool = hostedOfType(readFields(entry, path)['type'])
    if (!tool) continue
    if (context.hasHosted(tool) && !hosted.has(tool))
      hosted.set(tool, readHosted(entry as EventFields, tool, path, context.ignored))
    else context.ignored.push(path)
  }
  return { tools: readFunctions(entries, param, context.ignored), hosted: [...hosted.values()] }
}

/** Whether a list of tools names one that runs on this server. */
export const namesHosted = (tools: unknown): boolean =>
  Array.isArray(tools) && tools.some((tool) => isFields(tool) && hostedOfType(tool['type']) !== undefined)

const hostedOfType = (type: unknown): BuiltInTool | undefined =>
  typeof type === 'string' && Object.hasOwn(hostedTypes, type) ? hostedTypes[type] : undefined

const maxDomains = 100

/** Reads a hosted tool. Domains stand in `filters` or beside it, as in Responses; every other member is ignored. */
function readHosted(entry: EventFields, tool: BuiltInTool, path: string, ignored: string[]): HostedToolEntry {
  const { type: _, filters, ...members } = entry
  const all = { ...members, ...(filters == null ? {} : readFields(filters, `${path}.filters`)) }
  const domains = (name: string): string[] | undefined =>
    all[name] == null
      ? undefined
      : readList(all[name], `${path}.${name}`, maxDomains).map((rule, index) =>
          typeof rule === 'string' && isDomainRule(rule)
            ? rule
            : refuse(`${path}.${name}.${index}`, reasons.domain),
        )
  const canFilter = tool === 'web_search' || tool === 'web_fetch'
  const allowedDomains = canFilter ? domains('allowed_domains') : undefined
  const blockedDomains = canFilter ? domains('blocked_domains') : undefined
  for (const [name, member] of Object.entries(all))
    if (member !== null && !(canFilter && (name === 'allowed_domains' || name === 'blocked_domains')))
      ignored.push(`${path}.${name}`.slice(0, maxPathLength))
  return {
    ...{ tool, name: tool, param: path },
    ...(allowedDomains && { allowedDomains }),
    ...(blockedDomains && { blockedDomains }),
  }
}

const maxPathLength = 100

function readFunctions(entries: readonly unknown[], param: string, ignored: string[]): FunctionTool[] {
  const names = new Set<string>()
  return entries.flatMap((entry, index) => {
    const path = `${param}.${index}`
    const { type = 'function', name, description, parameters } = readFields(entry, path)
    if (type !== 'function') {
      if (!hostedOfType(type)) ignored.push(path)
      return []
    }
    const tool: FunctionTool = {
      name: readName(name, `${path}.name`),
      description:
        description == null ? '' : readText(description, `${path}.description`, 0, maxDescriptionLength),
      parameters: parameters == null ? noParameters : exactly(readFields(parameters, `${path}.parameters`)),
    }
    if (names.has(tool.name)) refuse(`${path}.name`, reasons.twoTools(tool.name))
    names.add(tool.name)
    return [tool]
  })
}

const noParameters = { type: 'object', properties: {} }

/** Reads the choice. `requireTool` checks whether the named tool exists, since the list of tools may come with the choice. */
export function readToolChoice(
  value: unknown,
  param: string,
  ignored: string[],
): SessionSettings['toolChoice'] {
  if (!isFields(value)) return readOneOf(value, param, ['auto', 'none', 'required'])
  if (value['type'] === 'function') return { name: readName(value['name'], `${param}.name`) }
  ignored.push(param)
  return 'auto'
}

/** Throws INVALID_REQUEST where the choice names a tool that is not among these. */
export function requireTool(
  choice: SessionSettings['toolChoice'],
  tools: readonly FunctionTool[],
  param: string,
): void {
  if (typeof choice === 'string' || tools.some(({ name }) => name === choice.name)) return
  refuse(param, reasons.noSuchTool(choice.name))
}
