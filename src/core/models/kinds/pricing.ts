/** What the prices on all cards have in common. */
import { Type } from 'typebox'

export const usdPerMillion = () =>
  Type.Number({
    minimum: 0,
    description: 'USD per million tokens.',
    'x-description-fa': 'دلار برای هر میلیون توکن.',
  })

export const usdEach = (of: { en: string; fa: string }) =>
  Type.Number({ minimum: 0, description: `USD ${of.en}.`, 'x-description-fa': `دلار ${of.fa}.` })

export const currency = () => Type.Literal('USD')

export const creditsPerUsd = () => Type.Number({ minimum: 0 })
