/** The tools of a request as the model gets them: its functions, those inside namespaces among them; tools of other kinds do not run here. */
import { reasons } from '#capabilities/text'
import type { Tool, ToolChoice } from '#engine/inference'
import type { Model } from '#engine/models'
import { fail } from '#platform/errors'
import type { AnyTool, FunctionTool, NamespaceTool, ToolChoice as WireChoice } from './schema.ts'

interface Named {
  name: string
  namespace?: string
}

export class Toolbox {
  readonly tools: Tool[] = []
  /** The functions in this wire's own words, as an upstream of it gets them. */
  readonly functions: FunctionTool[] = []
  /** Places of the tools that were left out. */
  readonly dropped: string[] = []
  /** By the names that the model sees. */
  readonly #named = new Map<string, Named>()

  constructor(tools: readonly AnyTool[], model: Model) {
    for (const [index, tool] of tools.entries()) {
      const place = `tools.${index}`
      if (tool.type === 'function') this.#take(tool as FunctionTool, place)
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

  /** The choice by the names that the model knows. */
  seenChoice(choice: WireChoice): WireChoice {
    if (typeof choice === 'string') return choice
    if (choice.type === 'allowed_tools')
      return { ...choice, tools: choice.tools.map((tool) => ({ ...this.#seen(tool as unknown as Named) })) }
    return this.#seen(choice)
  }

  #seen<Choice extends { name: string; namespace?: string | null }>(choice: Choice): Choice {
    const { namespace, ...named } = choice
    return { ...named, name: this.seenAs(choice.name, namespace) } as Choice
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
  if (type.startsWith('web_search')) refuseSearch(model, param)
  if (type === 'image_generation')
    fail('FEATURE_NOT_SUPPORTED', { model: model.id, feature: type }, { param })
}

export function refuseSearch(model: Model, param: string): never {
  return fail('FEATURE_NOT_SUPPORTED', { model: model.id, feature: 'web_search' }, { param })
}

/** The choice, and of the tools those that it allows. */
export function chooseTools(
  box: Toolbox,
  choice: WireChoice | null | undefined,
  model: Model,
): { tools: Tool[]; toolChoice: ToolChoice } {
  const { tools } = box
  if (choice == null || choice === 'auto' || choice === 'none')
    return { tools, toolChoice: { type: choice ?? 'auto' } }
  if (choice === 'required') return { tools: some(tools), toolChoice: { type: 'required' } }
  if (choice.type === 'function') {
    const name = named(box, choice, 'tool_choice.name')
    return { tools, toolChoice: { type: 'tool', name } }
  }
  if (choice.type === 'allowed_tools') {
    const names = choice.tools.flatMap((tool, index) =>
      tool['type'] === 'function' ? [named(box, tool, `tool_choice.tools.${index}.name`)] : [],
    )
    const allowed = tools.filter(({ name }) => names.includes(name))
    return {
      tools: choice.mode === 'required' ? some(allowed) : allowed,
      toolChoice: { type: choice.mode },
    }
  }
  const { type } = choice as { type: string }
  return fail('FEATURE_NOT_SUPPORTED', { model: model.id, feature: type }, { param: 'tool_choice.type' })
}

function some(tools: Tool[]): Tool[] {
  return tools.length > 0
    ? tools
    : fail('INVALID_REQUEST', { why: reasons.noTools }, { param: 'tool_choice' })
}

function named(box: Toolbox, wanted: Record<string, unknown>, param: string): string {
  some(box.tools)
  const { name, namespace } = wanted as { name?: string; namespace?: string }
  const seen = box.seenAs(String(name), namespace)
  if (box.tools.some((tool) => tool.name === seen)) return seen
  return fail('INVALID_REQUEST', { why: reasons.noSuchTool(String(name)) }, { param })
}
