import { describe, expect, test } from 'vitest'
import { findable, inLanguage, kindsOf, matching } from './find.ts'
import { wordsToFind } from './labels.ts'
import type { Model } from './prices.ts'

const modelOf = (id: string, kind: string, reads: string[], more: object = {}): Model =>
  ({
    ...{
      id,
      kind,
      aliases: [],
      display_name: id,
      description: '',
      owned_by: 'openai',
      presets: [],
      features: [],
    },
    ...{ input_modalities: reads, sandbox: false },
    ...more,
  }) as unknown as Model

const models = [
  modelOf('openai/gpt-5.4', 'text', ['text', 'image'], { presets: ['quality'], aliases: ['big-one'] }),
  modelOf('gemini/flash', 'text', ['text', 'audio'], { owned_by: 'gemini', features: ['tools'] }),
  modelOf('sandbox/fast', 'text', ['text'], {
    display_name: 'شبیه‌ساز سریع کوچک ۱۲',
    sandbox: true,
    owned_by: 'kherad',
  }),
  modelOf('openai/tts-1', 'audio', ['text']),
].map((model) => findable(model, wordsToFind))

const ids = (text: string, kind = '', reads = ''): string[] =>
  matching(models, { kind, reads, text }).map(({ model }) => model.id)

describe('models are found', () => {
  test.each([
    ['by a part of the id', 'GPT-5', ['openai/gpt-5.4']],
    ['by another name', 'big-one', ['openai/gpt-5.4']],
    ['by the vendor', 'openai', ['openai/gpt-5.4', 'openai/tts-1']],
    ['by several words in any order', 'tts openai', ['openai/tts-1']],
    ['with ي, ك and Arabic digits', 'شبيه ساز كوچك ١٢', ['sandbox/fast']],
    ['with Latin digits and without the half-space', 'شبیهساز 12', ['sandbox/fast']],
    ['by a word of the page in either language', 'ابزار', ['gemini/flash']],
    ['by a word of the page in either language', 'simulator', ['sandbox/fast']],
    ['all, where nothing is typed', ' \u200c ', models.map(({ model }) => model.id)],
    ['none, where one word is missing', 'openai zzz', []],
  ])('%s', (_how, text, expected) => {
    expect(ids(text)).toEqual(expected)
  })

  test('by kind and by what they read, together with words', () => {
    expect(ids('', 'audio')).toEqual(['openai/tts-1'])
    expect(ids('', '', 'image')).toEqual(['openai/gpt-5.4'])
    expect(ids('openai', 'text')).toEqual(['openai/gpt-5.4'])
    expect(ids('', 'audio', 'image')).toEqual([])
  })
})

test('kinds stand in the order in which they first come', () => {
  expect(kindsOf(models)).toEqual([
    { kind: 'text', count: 3 },
    { kind: 'audio', count: 1 },
  ])
})

test('of a text in both languages the part in that of the page is shown, and any other text as it is', () => {
  expect(inLanguage('Kherad Sandbox · شبیه‌ساز خرد', ' · ', 'fa')).toBe('شبیه‌ساز خرد')
  expect(inLanguage('Kherad Sandbox · شبیه‌ساز خرد', ' · ', 'en')).toBe('Kherad Sandbox')
  expect(inLanguage('GPT-5.4 mini', ' · ', 'fa')).toBe('GPT-5.4 mini')
  expect(inLanguage('یک · دو', ' · ', 'en')).toBe('یک · دو')
})
