import type { FunctionTool, SessionSettings } from '../parts.ts'
import { reasons } from '../phrases.ts'
import { isFields, readFields, readList, readName, readOneOf, readText, refuse } from './fields.ts'

const mostTools = 128
const longestDescription = 4_096

/** The functions of a list of tools; what else is in it (hosted tools of other servers) is named in `ignored` by its path. */
export function readTools(value: unknown, param: string, ignored: string[]): FunctionTool[] {
  const names = new Set<string>()
  return readList(value, param, mostTools).flatMap((entry, index) => {
    const path = `${param}.${index}`
    const { type = 'function', name, description, parameters } = readFields(entry, path)
    if (type !== 'function') {
      ignored.push(path)
      return []
    }
    const tool: FunctionTool = {
      name: readName(name, `${path}.name`),
      description:
        description == null ? '' : readText(description, `${path}.description`, 0, longestDescription),
      parameters: parameters == null ? noParameters : readFields(parameters, `${path}.parameters`),
    }
    if (names.has(tool.name)) refuse(`${path}.name`, reasons.twoTools(tool.name))
    names.add(tool.name)
    return [tool]
  })
}

const noParameters = { type: 'object', properties: {} }

/** Whether the named tool is there is for `requireTool`: the list of tools may come with it. */
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
