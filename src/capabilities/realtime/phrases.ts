import { declareFailures, type Localized } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    VOICE_BUSY: { capacity: number }
    WEBRTC_UNAVAILABLE: object
  }
}

export const callFailures = declareFailures({
  VOICE_BUSY: {
    status: 503,
    en: ({ capacity }) =>
      `All ${capacity} places for calls are taken. Try again in some seconds; the operator sets their number (voice.capacity).`,
    fa: ({ capacity }) =>
      `هر ${persian(capacity)} جای تماس پر است. چند ثانیه بعد دوباره بکوشید؛ شمار جاها را گردانندهٔ سرویس تعیین می‌کند (voice.capacity).`,
  },
  WEBRTC_UNAVAILABLE: {
    status: 503,
    en: () =>
      'No call over WebRTC can be taken here: none of its ports is free, or its address is not this machine’s (webrtc.ports, webrtc.listen; the log says which). Call over WebSocket until then: GET /v1/realtime.',
    fa: () =>
      'اینجا تماس WebRTC ممکن نیست: هیچ‌یک از درگاه‌هایش آزاد نیست یا نشانی‌اش از این ماشین نیست (webrtc.ports و webrtc.listen؛ لاگ می‌گوید کدام). تا آن زمان از راه WebSocket تماس بگیرید: GET /v1/realtime.',
  },
})

export const reasons = {
  noModel: {
    en: 'name a model: a realtime or a text model; there is no defaults.realtime_model here.',
    fa: 'مدلی را نام ببرید: یک مدل realtime یا متنی؛ اینجا defaults.realtime_model تعیین نشده است.',
  },
  modelName: {
    en: 'a model is named by a text of at most 200 characters.',
    fa: 'نام مدل متنی با حداکثر ۲۰۰ نویسه است.',
  },
  sessionText: {
    en: 'a session is the text of a JSON object.',
    fa: 'session متن یک شیء JSON است.',
  },
  noBase64: {
    en: 'it is no Base64.',
    fa: 'Base64 نیست.',
  },
  tooMuchSound: {
    en: 'more than a minute of sound would wait to be heard; send it at the pace at which it was spoken.',
    fa: 'بیش از یک دقیقه صدا در انتظار شنیده شدن می‌ماند؛ آن را با همان سرعت گفتار بفرستید.',
  },
  noCall: {
    en: 'say which call: send its id.',
    fa: 'بگویید کدام تماس: id آن را بفرستید.',
  },
  twoCalls: {
    en: 'id and call_id name two different calls.',
    fa: 'id و call_id دو تماس متفاوت را نام می‌برند.',
  },
} satisfies Record<string, Localized>
