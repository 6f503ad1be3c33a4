/** Compares what a run used with its plan. */
import type { Plan, Question } from '#work/pipelines'

/** What a run has used of its plan. */
export interface Used {
  asks: { promptBytes: number; maxOutputTokens: number }[]
  searches: number
  reads: number
}

/** Counts bytes as the worst case of a call does. */
export function promptBytes({ messages, output, tools = [] }: Question): number {
  let bytes = 64
  for (const { content } of messages)
    for (const part of content) bytes += 32 + (part.type === 'text' ? Buffer.byteLength(part.text) : 0)
  if (output?.type === 'json_schema') bytes += Buffer.byteLength(JSON.stringify(output.schema))
  return bytes + (tools.length > 0 ? Buffer.byteLength(JSON.stringify(tools)) : 0)
}

/** Whether the usage fits a plan: every question has its own entry among the planned ones. */
export function fits({ asks, searches, reads }: Used, plan: Plan): boolean {
  const left = plan.asks
    .map((each) => ({ ...each }))
    .toSorted((a, b) => a.promptBytes - b.promptBytes || a.maxOutputTokens - b.maxOutputTokens)
  // The largest questions are assigned first, each to the entry that fits most tightly.
  for (const ask of asks.toSorted(
    (a, b) => b.maxOutputTokens - a.maxOutputTokens || b.promptBytes - a.promptBytes,
  )) {
    const place = left.find(
      (each) =>
        each.count > 0 && each.promptBytes >= ask.promptBytes && each.maxOutputTokens >= ask.maxOutputTokens,
    )
    if (!place) return false
    place.count -= 1
  }
  return searches <= plan.searches && reads <= plan.reads
}
