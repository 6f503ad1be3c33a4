import { UpstreamError } from '#core/spec'
import type { Tool, Turn } from '#core/turn'
import { plainly } from '#platform/json'
import { hintsFrom, placeProperty } from './hints.ts'
import { mentionedAt } from './mention.ts'
import { phraseText } from './phrases.ts'
import { findPlaces } from './places.ts'
import type { Question } from './question.ts'
import { sampleSchema, UnsatisfiableSchema } from './schema-sample.ts'

/** Most calls in one answer, whatever the text mentions. */
const maxCalls = 16

/**
 * The tool calls of this turn, arguments as JSON text.
 * - `none`, or no tools: none.
 * - a named tool, `required`: always a call, also when there are results already (as real servers do);
 *   `required` takes the mentioned tools, else the first one.
 * - `auto`: the tools that the question mentions (see `mention.ts`), and none once there are results.
 * With parallel calls allowed: every mentioned tool, with one call for each named place; else the first mentioned tool.
 */
export function planCalls(turn: Turn, asked: Question): { name: string; arguments: string }[] {
  const question = { ...asked, text: asked.lastText }
  const tools = chosenTools(turn, question)
  const calls = tools.flatMap((tool) => callsOf(tool, question))
  return calls.slice(0, turn.parallelToolCalls === false ? 1 : maxCalls)
}

function chosenTools(turn: Turn, question: Question): Tool[] {
  const { toolChoice: choice, tools } = turn
  const first = tools[0]
  if (choice.type === 'none' || !first) return []
  if (choice.type === 'tool') {
    const named = tools.find((tool) => tool.name === choice.name)
    if (named) return [named]
    const detail = `Tool choice names "${choice.name}", which is not among the tools.`
    throw new UpstreamError('invalid_request', { status: 400, executed: false, param: 'tool_choice', detail })
  }
  if (choice.type === 'auto' && question.toolResults.length > 0) return []
  const mentioned = tools
    .map((tool) => ({ tool, place: mentionedAt(tool, question.text) }))
    .filter((each) => each.place !== undefined)
    .toSorted((left, right) => (left.place ?? 0) - (right.place ?? 0))
    .map((each) => each.tool)
  return mentioned.length === 0 && choice.type === 'required' ? [first] : mentioned
}

function callsOf(tool: Tool, question: Question): { name: string; arguments: string }[] {
  const places = findPlaces(question.text)
  const one = placeProperty(tool.parameters) !== undefined && places.length > 1
  const groups = one ? places.map((place) => [place]) : [places]
  return groups.map((group) => ({
    name: tool.name,
    arguments: JSON.stringify(argumentsOf(tool, question, group)),
  }))
}

function argumentsOf(tool: Tool, question: Question, places: readonly string[]): unknown {
  const schema = Object.keys(tool.parameters).length === 0 ? { type: 'object' } : plainly(tool.parameters)
  try {
    return sampleSchema(schema, {
      hint: hintsFrom(question, places),
      text: phraseText(question.language, 'sampleText'),
    })
  } catch (error) {
    if (!(error instanceof UnsatisfiableSchema)) throw error
    const detail = `Arguments of the tool "${tool.name}"${error.path && ` at ${error.path}`}: ${error.message}`
    throw new UpstreamError('invalid_request', { status: 400, executed: false, param: 'tools', detail })
  }
}
