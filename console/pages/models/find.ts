/** Which models are listed: by kind, by what they read, and by words that are compared as people type them. */
import { comparable } from '../../words/comparable.ts'
import type { Model } from './prices.ts'

export interface Wanted {
  /** Empty: all kinds. */
  kind: string
  /** Empty: whatever it reads. */
  reads: string
  text: string
}

/** A model with the text in which it is found, which is made when something is searched for the first time. */
export interface FindableModel {
  model: Model
  text(): string
}

/** Ids, names, aliases, vendors and descriptions; `more` are the words of the page about the model, in both languages. */
export function findable(model: Model, more: (model: Model) => readonly string[]): FindableModel {
  let text: string | undefined
  return {
    model,
    text: () => {
      text ??= comparable(
        [
          model.id,
          model.display_name,
          ...model.aliases,
          model.owned_by,
          model.description,
          ...model.presets,
          ...more(model),
        ].join(' '),
      )
      return text
    },
  }
}

/** The models that fit, in their order. Every word of the text must be found. */
export function matching(models: readonly FindableModel[], { kind, reads, text }: Wanted): FindableModel[] {
  const words = comparable(text).split(/\s+/).filter(Boolean)
  return models.filter(
    ({ model, text: textOf }) =>
      (kind === '' || model.kind === kind) &&
      (reads === '' || model.input_modalities.some((one) => one === reads)) &&
      words.every((word) => textOf().includes(word)),
  )
}

/** The kinds of these models with their numbers, in the order in which they first come. */
export function kindsOf(models: readonly FindableModel[]): { kind: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const { model } of models) counts.set(model.kind, (counts.get(model.kind) ?? 0) + 1)
  return [...counts].map(([kind, count]) => ({ kind, count }))
}

/** A text that a server writes in both languages, divided by `divider`: the part in the language of the page. */
export function inLanguage(text: string, divider: string, language: 'fa' | 'en'): string {
  const parts = text.split(divider)
  const isPersian = (part: string): boolean => /[\u0600-\u06ff]/.test(part)
  const fitting = parts.filter((part) => isPersian(part) === (language === 'fa'))
  return fitting.length > 0 && fitting.length < parts.length ? fitting.join(divider) : text
}
