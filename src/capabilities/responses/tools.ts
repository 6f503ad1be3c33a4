/** The tools of a request: the functions as the model gets them, those inside namespaces among them, and the wishes for tools that run meanwhile. */
import { reasons } from '#capabilities/text'
import type { Model } from '#engine/models'
import type { HostedToolEntry, Tool, ToolChoice } from '#engine/turn'
import { fail } from '#platform/errors'
import { type HostedTools, useBy, type Wished } from './hosted.ts'
import { hostedBy } from './hosted-schema.ts'
import type { AnyTool, FunctionTool, NamespaceTool, ToolChoice as WireChoice } from './schema.ts'

interface Named {
  name: string
  namespace?: string
}

const isFunction = (tool: object): tool is { type: 'function' } & Named =>
  (tool as { type?: unknown }).type === 'function'

export class Toolbox {
  readonly tools: Tool[] = []
  /** The functions in this wire's own words, as an upstream of it gets them. */
  readonly functions: FunctionTool[] = []
  /** Tools that are to run while the model answers. */
  readonly wished: Wished[] = []
  /** Places of the tools that were left out. */
  readonly dropped: string[] = []
  /** By the names that the model sees. */
  readonly #named = new Map<string, Named>()

  constructor(tools: readonly AnyTool[], model: Model) {
    for (const [index, tool] of tools.entries()) {
      const place = `tools.${index}`
      const hosted = hostedBy(tool.type)
      if (hosted) this.wished.push({ tool, name: hosted, place })
      else if (tool.type === 'function') this.#take(tool as FunctionTool, place)
      else if (tool.type === 'namespace') this.#takeAll(tool as AnyTool & NamespaceTool, place)
      else {
        refuseHosted(tool, model, place)
        this.dropped.push(place)
      }
    }
  }

  /** The name under which the model knows this function. */
  seenAs(name: string, namespace?: string | null): string {
    if (namespace == null) return name
    for (const [seen, known] of this.#named)
      if (known.name === name && known.namespace === namespace) return seen
    return name
  }

  /** The choice by the names that the model knows, among its functions and the search that runs at the upstream. */
  seenChoice(choice: WireChoice, native: Wished | undefined): WireChoice {
    if (typeof choice === 'string') return choice
    if (choice.type === 'function') return this.#seen(choice)
    if (choice.type !== 'allowed_tools') return choice
    const tools = choice.tools.flatMap((tool) => {
      if (isFunction(tool)) return [this.#seen(tool)]
      return native && hostedBy(String(tool['type'])) === native.name ? [tool] : []
    })
    return { ...choice, tools: tools as Record<string, unknown>[] }
  }

  #seen<Choice extends { name: string; namespace?: string | null }>(choice: Choice): Choice {
    const { namespace, ...named } = choice
    return { ...named, name: this.seenAs(choice.name, namespace) } as Choice
  }

  /** A name for a tool that no function of the caller has. */
  freeName(wanted: string): string {
    return this.#named.has(wanted) ? this.freeName(`kherad_${wanted}`) : wanted
  }

  /** The function behind a name that the model called. */
  calledAs(seen: string): Named {
    return this.#named.get(seen) ?? { name: seen }
  }

  /** Functions of different namespaces may share a name; one model's cannot. */
  #take(tool: FunctionTool, place: string, namespace?: string): void {
    const { name, description, strict } = tool
    const parameters = tool.parameters ?? { type: 'object', properties: {} }
    const seen = this.#named.has(name) && namespace !== undefined ? `${namespace}__${name}` : name
    if (this.#named.has(seen)) return void this.dropped.push(place)
    this.#named.set(seen, { name, ...(namespace !== undefined && { namespace }) })
    this.functions.push({ ...tool, name: seen, parameters })
    this.tools.push({
      name: seen,
      parameters,
      ...(description != null && { description }),
      ...(strict != null && { strict }),
    })
  }

  #takeAll({ name, tools }: NamespaceTool, place: string): void {
    for (const [index, tool] of tools.entries()) {
      const inner = `${place}.tools.${index}`
      if (tool.type === 'function') this.#take(tool as FunctionTool, inner, name)
      else this.dropped.push(inner)
    }
  }
}

/** Who asks for a picture or a search and gets none must hear of it; other kinds are dropped and named. */
function refuseHosted({ type }: AnyTool, model: Model, param: string): void {
  if (type === 'image_generation' || type.startsWith('web_search'))
    fail('FEATURE_NOT_SUPPORTED', { model: model.id, feature: type }, { param })
}

export interface Chosen {
  tools: Tool[]
  uses: HostedToolEntry[]
  toolChoice: ToolChoice
}

/** The choice, and of the tools those that it allows. */
export function chooseTools(
  box: Toolbox,
  { uses, native }: HostedTools,
  choice: WireChoice | null | undefined,
  model: Model,
): Chosen {
  const all = { tools: box.tools, uses }
  const offered = box.tools.length + uses.length + (native ? 1 : 0)
  if (choice == null || choice === 'auto') return { ...all, toolChoice: { type: 'auto' } }
  if (choice === 'none') return { ...all, uses: [], toolChoice: { type: 'none' } }
  if (offered === 0 && (choice === 'required' || choice.type === 'function'))
    return fail('INVALID_REQUEST', { why: reasons.noTools }, { param: 'tool_choice' })
  if (choice === 'required') return { ...all, toolChoice: { type: 'required' } }
  if (choice.type === 'function') {
    const name = named(box, choice, 'tool_choice.name')
    return { ...all, toolChoice: { type: 'tool', name } }
  }
  if (choice.type === 'allowed_tools') return allowed(all, box, choice, native)
  if (native && hostedBy(choice.type) === native.name) return { ...all, toolChoice: { type: 'required' } }
  const use = useBy(uses, choice.type)
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
  native: Wished | undefined,
): Chosen {
  const names = list.flatMap((tool, index) =>
    tool['type'] === 'function' ? [named(box, tool, `tool_choice.tools.${index}.name`)] : [],
  )
  const chosen = {
    tools: tools.filter(({ name }) => names.includes(name)),
    uses: uses.filter((use) => list.some(({ type }) => useBy([use], type))),
  }
  if (mode === 'required' && !native && chosen.tools.length + chosen.uses.length === 0)
    fail('INVALID_REQUEST', { why: reasons.noTools }, { param: 'tool_choice' })
  return { ...chosen, toolChoice: { type: mode } }
}

function named(box: Toolbox, wanted: Record<string, unknown>, param: string): string {
  const { name, namespace } = wanted as { name?: string; namespace?: string }
  const seen = box.seenAs(String(name), namespace)
  if (box.tools.some((tool) => tool.name === seen)) return seen
  return fail('INVALID_REQUEST', { why: reasons.noSuchTool(String(name)) }, { param })
}
