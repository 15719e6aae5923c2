// What a refusal says of whether the device may have what was written or acknowledged: the service writes it for people, and
// pages tell by it whether to say that the outcome is unknown.

export const nothingSent = 'Nothing was sent.';
/** How the sentence begins. */
export const deviceMayHaveIt = 'The device may have taken';
