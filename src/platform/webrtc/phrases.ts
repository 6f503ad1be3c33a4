import type { Localized } from '#platform/errors'

/** Why an offer cannot be answered. */
export const refusals = {
  tooLong: {
    en: 'it is longer than 64 KB, or has more sections or lines than any browser writes',
    fa: 'از ۶۴ کیلوبایت بلندتر است، یا بیش از هر مرورگری بخش یا سطر دارد',
  },
  notSdp: {
    en: 'it is no SDP: send the text of RTCPeerConnection.createOffer() as it is',
    fa: 'SDP نیست: متن RTCPeerConnection.createOffer() را همان‌گونه که هست بفرستید',
  },
  noAudio: {
    en: 'it needs exactly one m=audio line: call addTrack or addTransceiver("audio") once before createOffer()',
    fa: 'دقیقاً یک سطر m=audio می‌خواهد: پیش از createOffer() یک بار addTrack یا addTransceiver("audio") را فراخوانید',
  },
  noOpus: {
    en: 'its m=audio line offers no opus/48000/2, the only codec here',
    fa: 'سطر m=audio آن opus/48000/2 را، که تنها کدک اینجاست، ندارد',
  },
  twoChannels: {
    en: 'it has more than one m=application line; one carries all data channels',
    fa: 'بیش از یک سطر m=application دارد؛ یکی برای همهٔ کانال‌های داده بس است',
  },
  notBundled: {
    en: 'a=group:BUNDLE must name the sections of audio and data, each with its own a=mid, and audio needs a=rtcp-mux: use bundlePolicy "max-bundle"',
    fa: 'a=group:BUNDLE باید بخش‌های صدا و داده را نام ببرد، هر یک با a=mid خودش، و صدا a=rtcp-mux می‌خواهد: bundlePolicy را "max-bundle" بگذارید',
  },
  noFingerprint: {
    en: 'it has no a=fingerprint:sha-256, or several that differ',
    fa: 'a=fingerprint:sha-256 ندارد، یا چند تای گوناگون دارد',
  },
  wrongSetup: {
    en: 'its a=setup must be actpass or passive: an offer of createOffer() has actpass',
    fa: 'a=setup آن باید actpass یا passive باشد: createOffer() خودش actpass می‌نویسد',
  },
  noIce: {
    en: 'it has no usable a=ice-ufrag and a=ice-pwd, or it is of an ICE-lite agent, which cannot call another',
    fa: 'a=ice-ufrag و a=ice-pwd درستی ندارد، یا از یک سوی ICE-lite است که نمی‌تواند با ICE-lite دیگری تماس بگیرد',
  },
} satisfies Record<string, Localized>
