/** Compares the model names of deployments with the vendor's own list. */
import type { AnyModel } from '#core/models'
import { broken, type DoctorCheck, ok } from './check.ts'
import { providerPhrases as words } from './provider-phrases.ts'

/** The check of one provider; undefined if the vendor has no complete list, or no deployment uses it. */
export function checkVendorModels(
  provider: string,
  models: readonly AnyModel[],
  listed: readonly string[] | undefined,
): DoctorCheck | undefined {
  const named = models.flatMap(({ deployments }) =>
    deployments.filter((one) => one.provider === provider).map(({ model }) => model),
  )
  const asked = [...new Set(named)]
  if (!listed || asked.length === 0) return undefined
  const name = `provider_models ${provider}`
  const missing = asked.filter((model) => !listsModel(listed, model))
  if (missing.length === 0) return ok(name, words.vendorModels(asked.length))
  const suggestions = missing.map((model) => ({ model, nearest: nearestOf(model, listed) }))
  return broken(name, words.vendorLacks(suggestions))
}

/** Whether the list has the model. Some lists write a kind before the name, or a tag or date after it, and the vendor takes the bare name. */
function listsModel(listed: readonly string[], model: string): boolean {
  const bare = model.replace(/-latest$/, '')
  return listed.some((name) => {
    const plain = name.replace(/^models\//, '')
    if (plain === model || name === model || plain === `${model}:latest`) return true
    return plain.startsWith(`${bare}-`) && /^(\d{8}|\d{4}-\d\d-\d\d)$/.test(plain.slice(bare.length + 1))
  })
}

/** The listed name with the fewest changed letters, if it is near enough to be meant. */
function nearestOf(model: string, listed: readonly string[]): string | undefined {
  let best: { name: string; distance: number } | undefined
  for (const name of listed) {
    const distance = distanceOf(model.toLowerCase(), name.replace(/^models\//, '').toLowerCase())
    if (!best || distance < best.distance) best = { name, distance }
  }
  return best && best.distance <= Math.max(2, Math.floor(model.length / 2)) ? best.name : undefined
}

/** The letters to insert, remove or change (Levenshtein), among the first 100 of each name. */
function distanceOf(left: string, right: string): number {
  const [a, b] = [left.slice(0, 100), right.slice(0, 100)]
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    row = next
  }
  return row[b.length]!
}
