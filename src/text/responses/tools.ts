/** The tools of a request: the functions as the model gets them, including those inside namespaces, and the requested hosted tools. */

import type { Model } from '#core/models'
import { reasons } from '#core/text'
import type { HostedToolEntry, Tool, ToolChoice } from '#core/turn'
import { fail } from '#platform/errors'
import { type HostedTools, type RequestedTool, useOfType } from './hosted.ts'
import { hostedToolName } from './hosted-schema.ts'
import type { AnyTool, FunctionTool, NamespaceTool, ToolChoice as WireChoice } from './schema.ts'

interface NamedFunction {
  name: string
  namespace?: string
}

const isFunction = (tool: object): tool is { type: 'function' } & NamedFunction =>
  (tool as { type?: unknown }).type === 'function'

export class Toolbox {
  readonly tools: Tool[] = []
  /** The functions in the format of this wire, as its upstreams get them. */
  readonly functions: FunctionTool[] = []
  /** Hosted tools. */
  readonly requested: RequestedTool[] = []
  /** Paths of the tools that were left out. */
  readonly dropped: string[] = []
  /** The functions by the names that the model sees. */
  readonly #named = new Map<string, NamedFunction>()

  constructor(tools: readonly AnyTool[], model: Model) {
    for (const [index, tool] of tools.entries()) {
      const path = `tools.${index}`
      const hosted = hostedToolName(tool.type)
      if (hosted) this.requested.push({ tool, name: hosted, path })
      else if (tool.type === 'function') this.#add(tool as FunctionTool, path)
      else if (tool.type === 'namespace') this.#addAll(tool as AnyTool & NamespaceTool, path)
      else {
        refuseHosted(tool, model, path)
        this.dropped.push(path)
      }
    }
  }

  /** The name under which the model knows a function. */
  modelName(name: string, namespace?: string | null): string {
    if (namespace == null) return name
    for (const [seen, known] of this.#named)
      if (known.name === name && known.namespace === namespace) return seen
    return name
  }

  /** The tool choice with the names that the model knows; only functions and the search that the upstream runs are left in it. */
  upstreamChoice(choice: WireChoice, native: RequestedTool | undefined): WireChoice {
    if (typeof choice === 'string') return choice
    if (choice.type === 'function') return this.#withModelName(choice)
    if (choice.type !== 'allowed_tools') return choice
    const tools = choice.tools.flatMap((tool) => {
      if (isFunction(tool)) return [this.#withModelName(tool)]
      return native && hostedToolName(String(tool['type'])) === native.name ? [tool] : []
    })
    return { ...choice, tools: tools as Record<string, unknown>[] }
  }

  #withModelName<Choice extends { name: string; namespace?: string | null }>(choice: Choice): Choice {
    const { namespace, ...named } = choice
    return { ...named, name: this.modelName(choice.name, namespace) } as Choice
  }

  /** A name for a tool that no function of the caller has. */
  freeName(wanted: string): string {
    return this.#named.has(wanted) ? this.freeName(`kherad_${wanted}`) : wanted
  }

  /** The caller's name of a function that the model has called. */
  callerName(seen: string): NamedFunction {
    return this.#named.get(seen) ?? { name: seen }
  }

  /** Adds a function. Functions of different namespaces may share a name, but the model needs unique names. */
  #add(tool: FunctionTool, path: string, namespace?: string): void {
    const { name, description, strict } = tool
    const parameters = tool.parameters ?? { type: 'object', properties: {} }
    const seen = this.#named.has(name) && namespace !== undefined ? `${namespace}__${name}` : name
    if (this.#named.has(seen)) return void this.dropped.push(path)
    this.#named.set(seen, { name, ...(namespace !== undefined && { namespace }) })
    this.functions.push({ ...tool, name: seen, parameters })
    this.tools.push({
      name: seen,
      parameters,
      ...(description != null && { description }),
      ...(strict != null && { strict }),
    })
  }

  #addAll({ name, tools }: NamespaceTool, path: string): void {
    for (const [index, tool] of tools.entries()) {
      const inner = `${path}.tools.${index}`
      if (tool.type === 'function') this.#add(tool as FunctionTool, inner, name)
      else this.dropped.push(inner)
    }
  }
}

/** Refuses image generation and search if they are not supported, since ignoring them would mislead the caller; other tools are dropped and listed in a header. */
function refuseHosted({ type }: AnyTool, model: Model, param: string): void {
  if (type === 'image_generation' || type.startsWith('web_search'))
    fail('FEATURE_NOT_SUPPORTED', { model: model.id, feature: type }, { param })
}

export interface ChosenTools {
  tools: Tool[]
  uses: HostedToolEntry[]
  toolChoice: ToolChoice
}

/** The tool choice, and the tools that it allows. */
export function chooseTools(
  box: Toolbox,
  { uses, native }: HostedTools,
  choice: WireChoice | null | undefined,
  model: Model,
): ChosenTools {
  const all = { tools: box.tools, uses }
  const offered = box.tools.length + uses.length + (native ? 1 : 0)
  if (choice == null || choice === 'auto') return { ...all, toolChoice: { type: 'auto' } }
  if (choice === 'none') return { ...all, uses: [], toolChoice: { type: 'none' } }
  if (offered === 0 && (choice === 'required' || choice.type === 'function'))
    return fail('INVALID_REQUEST', { why: reasons.noTools }, { param: 'tool_choice' })
  if (choice === 'required') return { ...all, toolChoice: { type: 'required' } }
  if (choice.type === 'function') {
    const name = callableName(box, choice, 'tool_choice.name')
    return { ...all, toolChoice: { type: 'tool', name } }
  }
  if (choice.type === 'allowed_tools') return allowed(all, box, choice, native)
  if (native && hostedToolName(choice.type) === native.name)
    return { ...all, toolChoice: { type: 'required' } }
  const use = useOfType(uses, choice.type)
  if (use) return { ...all, toolChoice: { type: 'tool', name: use.name } }
  return fail(
    'FEATURE_NOT_SUPPORTED',
    { model: model.id, feature: choice.type },
    { param: 'tool_choice.type' },
  )
}

function allowed(
  { tools, uses }: { tools: Tool[]; uses: HostedToolEntry[] },
  box: Toolbox,
  { mode, tools: list }: Extract<WireChoice, { type: 'allowed_tools' }>,
  native: RequestedTool | undefined,
): ChosenTools {
  const names = list.flatMap((tool, index) =>
    tool['type'] === 'function' ? [callableName(box, tool, `tool_choice.tools.${index}.name`)] : [],
  )
  const chosen = {
    tools: tools.filter(({ name }) => names.includes(name)),
    uses: uses.filter((use) => list.some(({ type }) => useOfType([use], type))),
  }
  if (mode === 'required' && !native && chosen.tools.length + chosen.uses.length === 0)
    fail('INVALID_REQUEST', { why: reasons.noTools }, { param: 'tool_choice' })
  return { ...chosen, toolChoice: { type: mode } }
}

function callableName(box: Toolbox, wanted: Record<string, unknown>, param: string): string {
  const { name, namespace } = wanted as { name?: string; namespace?: string }
  const seen = box.modelName(String(name), namespace)
  if (box.tools.some((tool) => tool.name === seen)) return seen
  return fail('INVALID_REQUEST', { why: reasons.noSuchTool(String(name)) }, { param })
}
