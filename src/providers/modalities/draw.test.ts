import { expect, test } from 'vitest'
import { pictureRequest } from './draw.ts'

test.each([
  [1024, 1024, { aspect_ratio: '1:1' }],
  [2048, 2560, { aspect_ratio: '4:5', image_size: '2K' }],
  [5504, 3072, { aspect_ratio: '16:9', image_size: '4K' }],
])('OpenRouter is told of %dx%d by shape and tier, nobody else', (width, height, config) => {
  const call = {
    upstreamModel: 'model',
    order: { prompt: 'a cat', references: [], count: 1, size: { width, height } },
  }
  expect(pictureRequest('openrouter.ai', call)['image_config']).toEqual(config)
  expect(pictureRequest('llm.example.com', call)).not.toHaveProperty('image_config')
})

test.each([7, undefined])('a seed of %s is sent as it is', (seed) => {
  const order = { prompt: 'a cat', references: [], count: 1, size: { width: 1024, height: 1024 } }
  const call = { upstreamModel: 'model', order: { ...order, ...(seed !== undefined && { seed }) } }
  expect(pictureRequest('llm.example.com', call)['seed']).toBe(seed)
})
