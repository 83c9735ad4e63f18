cook init nowhere
