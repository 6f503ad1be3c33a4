import { expect, test } from 'vitest'
import { modelsPath } from './model-names.ts'

test('OpenRouter is asked for models of every kind, since it lists those of texts alone by itself', () => {
  expect(modelsPath('openrouter.ai')).toBe('/models?output_modalities=all')
  expect(modelsPath('localhost')).toBe('/models')
})
